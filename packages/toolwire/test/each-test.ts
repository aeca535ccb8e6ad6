// Hooks of shared helpers. A worker loads a helper once for all its test files, so the setup file runs these hooks around every test.
type Hook = () => unknown

const before: Hook[] = []
const after: Hook[] = []

export const beforeEachTest = (hook: Hook): void => void before.push(hook)
export const afterEachTest = (hook: Hook): void => void after.push(hook)

export const runBefore = (): Promise<void> => runAll(before)
export const runAfter = (): Promise<void> => runAll(after)

async function runAll(hooks: readonly Hook[]): Promise<void> {
  const outcomes = await Promise.allSettled(hooks.map(async (hook) => hook()))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

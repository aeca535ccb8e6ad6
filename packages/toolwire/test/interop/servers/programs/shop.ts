// The common behaviour of every program in this folder, so that one table of tests fits all of them.
import { setTimeout as sleep } from 'node:timers/promises'

export const notes = 'notes://today'
export const note = 'buy milk'
export const question = 'Your name?'
export const closed = 'The shop is closed'
export const greeting = (name: string): string => `Greet ${name} in a warm voice`

type Tell = (step: number, steps: number, message: string) => unknown

/** Works in steps, and reports progress. */
export async function slowly({ steps, ms }: { steps: number; ms: number }, tell: Tell, signal?: AbortSignal): Promise<string> {
  for (let step = 1; step <= steps; step++) {
    await sleep(ms, undefined, { signal })
    await tell(step, steps, `step ${step}`)
  }
  return 'done'
}

let begun = 0
let cancelled = 0
export const cancellations = (): string => `${cancelled} of ${begun}`

/** Reports progress once and then waits until it is cancelled or the client has disconnected. */
export async function stick(tell: (step: number) => unknown, signal?: AbortSignal): Promise<string> {
  begun++
  signal?.addEventListener('abort', () => cancelled++)
  await tell(1)
  const alone = new Promise((resolve) => process.stdin.once('end', resolve))
  await Promise.race([sleep(10_000, undefined, { signal }), alone])
  return 'free'
}

export const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })
export const failed = (value: string) => ({ ...text(value), isError: true })

/** Prints the port for the test that started this program. */
export const listening = (port: number): void => void process.stderr.write(`READY ${port}\n`)

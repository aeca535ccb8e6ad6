// Actions on the gateway itself are recorded in the same log as calls, such as decisions and accepted definitions.
import { randomUUID } from 'node:crypto'
import type { JsonObject } from 'toolwire'
import type { AuditLog, AuditRecord } from 'toolwire/guard'
import { sanitizing } from 'toolwire/relay'

export type RecordedAction = {
  readonly by: string
  /** The name of the action in the log. */
  readonly act: string
  readonly about: JsonObject
  /** The action was refused, and so was not done. */
  readonly refused?: boolean
}

/** Does work that must not be done without a record. Work that throws or returns false has not been done, and is recorded so. */
export async function runRecorded<T>(log: AuditLog | undefined, { by, act, about }: RecordedAction, work: () => T | Promise<T>) {
  const startedAt = performance.now()
  const common = commonOf({ by, act })
  await log?.append({ ...common, kind: 'intent', at: Date.now(), arguments: sanitizing.withoutSecrets(about) })
  const end = (outcome: 'ok' | 'failed') => {
    const durationMs = performance.now() - startedAt
    return log?.append({ ...common, kind: 'outcome', at: Date.now(), durationMs, decision: 'allowed', outcome })
  }
  let done: T
  try {
    done = await work()
  } catch (thrown) {
    await end('failed')
    throw thrown
  }
  await end(done === false ? 'failed' : 'ok')
  return done
}

/** Records an action that has already happened, or was refused. */
export async function recordAction(log: AuditLog | undefined, action: RecordedAction): Promise<void> {
  await Promise.all(recordsOf(action).map((record) => log?.append(record)))
}

/** The records of an action that took no time. */
export function recordsOf({ about, refused, ...rest }: RecordedAction): readonly AuditRecord[] {
  const common = { ...commonOf(rest), at: Date.now() }
  const ending = refused
    ? ({ decision: 'refused', outcome: 'refused', reason: 'forbidden' } as const)
    : ({ decision: 'allowed', outcome: 'ok' } as const)
  return [
    { ...common, kind: 'intent', arguments: sanitizing.withoutSecrets(about) },
    { ...common, kind: 'outcome', durationMs: 0, ...ending },
  ]
}

const commonOf = ({ by, act }: Pick<RecordedAction, 'by' | 'act'>) => ({
  id: `act-${randomUUID()}`,
  tool: `toolwire/${act}`,
  definitionHash: 'none',
  caller: by,
})

// What people do to the gateway itself stands in the same log as the calls: who allowed what, who accepted which definition.
import { randomUUID } from 'node:crypto'
import type { JsonObject } from 'toolwire'
import { type AuditLog, withoutSecrets } from 'toolwire/guard'

export type Act = {
  /** Id of who does it. */
  readonly by: string
  /** What it is, as a word for the log. */
  readonly act: string
  readonly about: JsonObject
}

/** Does what cannot be done without a record of it. */
export async function recorded<T>(log: AuditLog | undefined, { by, act, about }: Act, work: () => T | Promise<T>): Promise<T> {
  const startedAt = performance.now()
  const common = { id: `act-${randomUUID()}`, tool: `toolwire/${act}`, definitionHash: 'none', caller: by }
  await log?.append({ ...common, kind: 'intent', at: Date.now(), arguments: withoutSecrets(about) })
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
  await end('ok')
  return done
}

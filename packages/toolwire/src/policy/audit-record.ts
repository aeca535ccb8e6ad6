import type { JsonObject } from '../json.js'
import { type Reason, Refusal } from '../tools/refusal.js'
import type { ToolResult } from '../tools/result.js'

/** What both records of a call say. Names are a stranger's, so hidden characters in them are written as \u{…}. */
export type Recorded = {
  /** The same in the intent and the outcome of a call. */
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly server?: string
  readonly tool: string
  readonly definitionHash: string
  /** Id of the caller. */
  readonly caller: string
}

/** Written before a call goes on. One without an outcome is a call of which nobody knows how it ended. */
export type Intent = Recorded & {
  readonly kind: 'intent'
  /** Redacted unless asked otherwise: see `Redacted`. */
  readonly arguments: JsonObject
}

/** Written before the caller hears how a call ended. */
export type Outcome = Recorded & { readonly kind: 'outcome'; readonly durationMs: number } & Ending

/** How a call ended. */
export type Ending = {
  /** Whether some policy stopped the call before it was made. */
  readonly decision: 'allowed' | 'refused'
  /** The tool succeeded, or said that it failed; the call was refused; or it ended without a result. */
  readonly outcome: 'ok' | 'error' | 'refused' | 'failed'
  readonly reason?: Reason
}

export type AuditRecord = Intent | Outcome

export const endedWith = ({ isError }: ToolResult): Ending => ({ decision: 'allowed', outcome: isError ? 'error' : 'ok' })

/** These come when the call has been made. */
const afterwards: ReadonlySet<Reason> = new Set(['timed-out', 'unsafe-result'])

export function endedBy(thrown: unknown): Ending {
  if (!(thrown instanceof Refusal)) return { decision: 'allowed', outcome: 'failed' }
  const { reason } = thrown
  return afterwards.has(reason)
    ? { decision: 'allowed', outcome: 'failed', reason }
    : { decision: 'refused', outcome: 'refused', reason }
}

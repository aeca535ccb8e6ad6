import type { JsonObject } from '../../json.js'
import { type Reason, Refusal } from '../../tools/refusal.js'
import type { ToolResult } from '../../tools/result.js'
import { Suspension } from '../../tools/suspension.js'

/** What both records of a call say. Names are a stranger's, so hidden characters in them are written as \u{…}. */
export type AuditRecordBase = {
  /** The same in the intent and the outcome of a call. */
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly server?: string
  /** The first characters of what tells this server from others of its name, where that is known. */
  readonly serverIdentity?: string
  readonly tool: string
  readonly definitionHash: string
  /** Id of the caller. */
  readonly caller: string
  /** Only in later rounds of a call that had been asked about: it came back with the answer. */
  readonly continued?: true
}

/** Written before a call goes on. One without an outcome is a call of which nobody knows how it ended. */
export type AuditIntent = AuditRecordBase & {
  readonly kind: 'intent'
  /** Redacted unless asked otherwise: see `Redacted`. */
  readonly arguments: JsonObject
}

/** Written before the caller hears how a call ended. */
export type AuditOutcome = AuditRecordBase & { readonly kind: 'outcome'; readonly durationMs: number } & CallEnding

/** How a call ended. */
export type CallEnding = {
  /** Whether some policy stopped the call before it was made. */
  readonly decision: 'allowed' | 'refused'
  /**
   * The tool succeeded, or said that it failed; it has a question first, and the call comes back with the answer; the call was
   * refused; its caller gave it up; or it ended without a result.
   */
  readonly outcome: 'ok' | 'error' | 'asked' | 'refused' | 'cancelled' | 'failed'
  readonly reason?: Reason
  /** Nothing but the unverified word of its server, that the tool only reads, has allowed the call. */
  readonly ground?: 'claim'
  /** The rules that have decided on the call: the first 12 digits of their version. None where it never came to them. */
  readonly policyVersion?: string
}

/** A record of a call: the intent before it is made, or the outcome after it. */
export type AuditRecord = AuditIntent | AuditOutcome

export const endingOf = ({ isError }: ToolResult): CallEnding => ({ decision: 'allowed', outcome: isError ? 'error' : 'ok' })

export function endingByThrow(thrown: unknown, { aborted }: AbortSignal): CallEnding {
  if (thrown instanceof Suspension) return { decision: 'allowed', outcome: 'asked' }
  if (!(thrown instanceof Refusal)) return { decision: 'allowed', outcome: aborted ? 'cancelled' : 'failed' }
  const { reason, wasCalled } = thrown
  return wasCalled ? { decision: 'allowed', outcome: 'failed', reason } : { decision: 'refused', outcome: 'refused', reason }
}

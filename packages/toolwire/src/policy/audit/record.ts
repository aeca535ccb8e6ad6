import type { JsonObject } from '../../json.js'
import { type Reason, Refusal } from '../../tools/refusal.js'
import type { ToolResult } from '../../tools/result.js'
import { Suspension } from '../../tools/suspension.js'

/** Members of both records of a call. Names are untrusted, so hidden characters in them are written as \u{…}. */
export type AuditRecordBase = {
  /** The same in the intent and the outcome of a call. */
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly server?: string
  /** The first characters of the server's identity, if it is known. */
  readonly serverIdentity?: string
  readonly tool: string
  readonly definitionHash: string
  readonly caller: string
  /** Set only in the later rounds of a call, when it has come back with the answer to a question. */
  readonly continued?: true
}

/** Written before a call goes on. An intent without an outcome is a call whose end is unknown. */
export type AuditIntent = AuditRecordBase & {
  readonly kind: 'intent'
  /** Redacted unless asked otherwise: see `Redacted`. */
  readonly arguments: JsonObject
}

/** The record of how a call ended, written before the caller hears. */
export type AuditOutcome = AuditRecordBase & { readonly kind: 'outcome'; readonly durationMs: number } & CallEnding

export type CallEnding = {
  /** 'refused' if a policy stopped the call before it was made. */
  readonly decision: 'allowed' | 'refused'
  /**
   * 'ok' and 'error' are results of the tool. 'asked' is a question first, and the call comes back with the answer. 'refused' is a refusal,
   * 'cancelled' a call that its caller gave up, even if the stopped tool returned an error, and 'failed' an end without a result.
   */
  readonly outcome: 'ok' | 'error' | 'asked' | 'refused' | 'cancelled' | 'failed'
  readonly reason?: Reason
  /**
   * 'claim' if only the unverified claim of the server, that the tool is read-only, has allowed the call; 'grant:' and the id of the
   * standing approval if that has allowed it. Undefined otherwise.
   */
  readonly ground?: 'claim' | `grant:${string}`
  /** The first 12 digits of the version of the rules that have decided on the call. Undefined if the call never reached them. */
  readonly policyVersion?: string
}

type Abortable = { readonly aborted: boolean }

/** A record of a call: the intent before it is made, or the outcome after it. */
export type AuditRecord = AuditIntent | AuditOutcome

/** A tool that is stopped often returns an error, which its caller does not get. */
export function endingOf({ isError }: ToolResult, { aborted }: Abortable): CallEnding {
  return { decision: 'allowed', outcome: isError ? (aborted ? 'cancelled' : 'error') : 'ok' }
}

export function endingByThrow(thrown: unknown, { aborted }: Abortable): CallEnding {
  if (thrown instanceof Suspension) return { decision: 'allowed', outcome: 'asked' }
  if (!(thrown instanceof Refusal)) return { decision: 'allowed', outcome: aborted ? 'cancelled' : 'failed' }
  const { reason, wasCalled } = thrown
  return wasCalled ? { decision: 'allowed', outcome: 'failed', reason } : { decision: 'refused', outcome: 'refused', reason }
}

import type { Outcome } from './calls.js'
import type { JsonObject } from './json.js'

export type AuditCall = {
  /** Of the intent. */
  readonly sequence: number
  readonly call: string
  readonly at: number
  readonly caller: string
  readonly server?: string
  readonly tool: string
  readonly continued?: true
  /** Sequence of the outcome. */
  readonly ended?: number
  readonly durationMs?: number
  readonly decision?: 'allowed' | 'refused'
  readonly outcome?: Outcome
  readonly reason?: string
}

/** One record, as it stands in the log. */
export type AuditEntry = { readonly sequence: number; readonly hash: string; readonly text: string }

export type AuditPage = { readonly calls: readonly AuditCall[]; readonly before?: number }

/** Whether the log is as it was written. */
export type AuditVerdict =
  | { readonly ok: true; readonly entries: number; readonly head?: JsonObject }
  | { readonly ok: false; readonly line: number; readonly sequence: number; readonly why: string }

export type AuditHead = { readonly head: JsonObject | null; readonly publicKey: string }

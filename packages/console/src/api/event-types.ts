import type { JsonObject } from 'toolwire'
import type { Progress } from 'toolwire/client'
import type { AuditOutcome } from 'toolwire/guard'
import type { UpstreamState } from '../../../gateway/src/upstreams/upstream-status.js'

/** What happens at the gateway, by the kind of event. All have `at`, in milliseconds since 1970. There they are JSON without a type. */
export type EventData = {
  call: { readonly at: number } & CallEvent
  calls: CallSummary
  approval: { readonly at: number } & ApprovalEvent
  upstream: { readonly at: number; readonly server: string; readonly state: UpstreamState; readonly why?: string }
  pin: { readonly at: number; readonly what: string; readonly server: string; readonly tool: string; readonly hash: string }
  policy: { readonly at: number; readonly what?: string; readonly why?: string }
  config: { readonly at: number; readonly what?: string; readonly why?: string }
  audit: { readonly at: number; readonly sequence: number; readonly hash: string }
  /** Events were missed while the page was away: what was loaded before has to be loaded again. */
  missed: JsonObject
}

export type EventKind = keyof EventData

type About = {
  readonly call: number
  readonly tool: string
  readonly server: string
  readonly caller: string
  readonly set?: string
}

export type CallEvent =
  | (About & { readonly what: 'begun'; readonly arguments?: JsonObject; readonly cut?: boolean })
  | (About & { readonly what: 'progress' } & Progress)
  | (About & { readonly what: 'waiting'; readonly waiting?: string })
  | (About & {
      readonly what: 'ended'
      readonly outcome: AuditOutcome['outcome']
      readonly reason?: string
      readonly ms: number
      /** Id of the call in the audit log. */
      readonly record?: string
    })

/** Told instead of single calls when there are very many. */
export type CallSummary = {
  readonly at: number
  readonly begun: number
  readonly ended: { readonly [outcome: string]: number }
  /** Ids of calls that were told of, and are over. */
  readonly over?: readonly number[]
}

export type ApprovalEvent = {
  readonly what: 'asked' | 'over'
  readonly id: string
  readonly tool?: string
  readonly server?: string
  readonly caller?: string
  readonly expiresAt?: number
  readonly state?: string
  readonly decision?: 'allow' | 'deny'
  readonly by?: string
}

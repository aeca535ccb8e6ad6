import type { Approvals, JsonObject, StandingApproval } from '../../api/types.js'

/** A call that waits no more, and what became of it. */
export type PastCall = {
  readonly id: string
  readonly server: string | null
  readonly tool: { readonly name: string }
  readonly caller: string
  /** Only as long as the gateway that decided it runs. */
  readonly arguments?: JsonObject
  readonly state: string
  readonly why?: string
  readonly by?: string
  readonly always?: StandingApproval
  readonly settledAt?: number
}
export type PastPage = Approvals & { readonly past?: readonly PastCall[] }

import type { Approvals, JsonObject, StandingApproval } from '../../api/types.js'

export type PastCall = {
  readonly id: string
  readonly server: string | null
  readonly tool: { readonly name: string }
  readonly caller: string
  /** Present only until the gateway that decided the call restarts. */
  readonly arguments?: JsonObject
  readonly state: string
  readonly why?: string
  readonly by?: string
  readonly always?: StandingApproval
  readonly settledAt?: number
}
export type PastPage = Approvals & { readonly past?: readonly PastCall[] }

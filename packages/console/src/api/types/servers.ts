import type { JsonObject } from './json.js'

export type UpstreamState = 'idle' | 'opening' | 'ready' | 'failing' | 'broken' | 'needs login' | 'closed'

export type Server = {
  readonly id: string
  readonly target: JsonObject
  readonly state: UpstreamState
  /** Why it is not ready, in a sentence. */
  readonly why?: string
  readonly since: number
  readonly revision?: string
  readonly restarts: number
  readonly retryInMs?: number
  readonly trusted: boolean
  readonly tools: number
  /** Who has logged in, where people do. */
  readonly login?: {
    readonly perUser: boolean
    readonly loggedIn: boolean
    readonly users: readonly { readonly user: string; readonly since: number }[]
  }
}

export type Servers = { readonly servers: readonly Server[]; readonly withheld: readonly JsonObject[] }

export type Status = {
  readonly version: string
  readonly status: 'ok' | 'degraded' | 'failing' | 'draining'
  /** What is wrong, each in a sentence. */
  readonly troubles: readonly string[]
  readonly upstreams: { readonly [id: string]: string }
  readonly audit: { readonly on: boolean; readonly ok: boolean }
  readonly callsUnderWay: number
  readonly approvalsPending: number
  readonly auditHead?: { readonly sequence: number; readonly hash: string } | null
  readonly config: JsonObject
}

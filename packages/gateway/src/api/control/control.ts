// What of the gateway the management API exposes.
import type { Caller, JsonObject } from 'toolwire'
import type { Progress } from 'toolwire/client'
import type { Answering } from 'toolwire/relay'
import type { ServerLogins } from '../../upstreams/logins/upstream-logins.js'
import type { UpstreamStatus } from '../../upstreams/upstream-status.js'
import type { createControl } from './create-control.js'

/** How the gateway is doing as a whole: `failing` refuses calls, `degraded` makes those that it can. */
export type GatewayHealth = {
  readonly status: 'ok' | 'degraded' | 'failing' | 'draining'
  /** What is wrong, each in a sentence for the operator. */
  readonly troubles: readonly string[]
  readonly upstreams: { readonly [id: string]: string }
  /** Of a config in a database, 0 where there is none; undefined where the config is a file. */
  readonly configVersion?: { readonly inForce: number; readonly newest: number }
  readonly audit: {
    readonly on: boolean
    /** Records can be made safe. */
    readonly ok: boolean
    /** What waits on the local disk for a database that is away. */
    readonly spool?: { readonly records: number; readonly bytes: number }
  }
}

/** One upstream as it is now. */
export type ServerView = UpstreamStatus & {
  readonly id: string
  readonly target: JsonObject
  readonly trusted: boolean
  readonly tools: number
  /** Why its tools are offered to nobody. */
  readonly heldBack?: string
  /** Who has logged in, where people do. */
  readonly login?: ServerLogins
}

export type CallRequest = {
  readonly caller: Caller
  readonly signal: AbortSignal
  readonly onProgress?: (progress: Progress) => void
  /** What the tool asks on the way; declined where nobody answers. */
  readonly answers?: Answering
  /** Told the id of the call; of each of them, where questions are answered with another one. */
  readonly onBegun?: (call: number) => void
}

export type Control = ReturnType<typeof createControl>

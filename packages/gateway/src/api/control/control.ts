// The parts of the gateway that the management API exposes.
import type { Caller, JsonObject } from 'toolwire'
import type { Progress } from 'toolwire/client'
import type { Answering } from 'toolwire/relay'
import type { ServerLogins } from '../../upstreams/logins/upstream-logins.js'
import type { UpstreamStatus } from '../../upstreams/upstream-status.js'
import type { createControl } from './create-control.js'

/** The state of the gateway: `failing` refuses calls, `degraded` makes as many as it can. */
export type GatewayHealth = {
  readonly status: 'ok' | 'degraded' | 'failing' | 'draining'
  /** Problems, each in a sentence for the operator. */
  readonly troubles: readonly string[]
  readonly upstreams: { readonly [id: string]: string }
  /** The version of a config in a database, 0 if there is none; undefined if the config is a file. */
  readonly configVersion?: { readonly inForce: number; readonly newest: number }
  readonly audit: {
    readonly on: boolean
    /** Can records be stored durably? */
    readonly ok: boolean
    /** Records on the local disk that wait for the database. */
    readonly spool?: { readonly records: number; readonly bytes: number }
  }
}

export type ServerView = UpstreamStatus & {
  readonly id: string
  readonly target: JsonObject
  readonly trusted: boolean
  readonly tools: number
  /** The reason that its tools are withheld. */
  readonly heldBack?: string
  /** The logins, if the server has any. */
  readonly login?: ServerLogins
}

export type CallRequest = {
  readonly caller: Caller
  readonly signal: AbortSignal
  readonly onProgress?: (progress: Progress) => void
  /** Answers the tool's questions; without it, they are declined. */
  readonly answers?: Answering
  /** Receives the id of the call, and a further id whenever an answer continues it as another call. */
  readonly onBegun?: (call: number) => void
}

export type Control = ReturnType<typeof createControl>

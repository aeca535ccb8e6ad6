// What can be seen and done from outside, whoever does it: the management API is a way to these and nothing more.
import type { Caller, Hints, Json, JsonObject } from 'toolwire'
import type { Progress } from 'toolwire/client'
import type { AuditLog, Drift, Pin } from 'toolwire/guard'
import type { Explanation, WrittenCall } from 'toolwire/rules'
import type { Store } from '../store/store.js'
import type { Decisions } from './decisions.js'
import type { Events } from './events.js'
import type { Metrics } from './metrics.js'

/** How the gateway is doing as a whole: `failing` refuses calls, `degraded` makes those that it can. */
export type Health = {
  readonly status: 'ok' | 'degraded' | 'failing' | 'draining'
  /** What is wrong, each in a sentence for the operator. */
  readonly troubles: readonly string[]
  readonly upstreams: { readonly [id: string]: string }
  readonly audit: { readonly on: boolean; readonly ok: boolean }
}

/** One upstream as it is now. */
export type ServerView = {
  readonly id: string
  readonly target: JsonObject
  readonly state: string
  readonly why?: string
  readonly since: number
  readonly revision?: string
  readonly restarts: number
  readonly retryInMs?: number
  readonly trusted: boolean
  readonly tools: number
}

/** One tool under the name that callers know. */
export type ToolView = {
  readonly name: string
  readonly server: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: JsonObject
  readonly outputSchema?: Json
  readonly hints: Hints
  readonly hash: string
  /** Kept back until somebody accepts its definition. */
  readonly waiting: boolean
}

export type Calling = {
  readonly caller: Caller
  readonly signal: AbortSignal
  readonly onProgress?: (progress: Progress) => void
}

export type Control = {
  readonly version: string
  readonly store: Store
  /** Where calls are recorded, unless that is switched off. */
  readonly log: AuditLog | undefined
  readonly events: Events
  readonly metrics: Metrics
  readonly decisions: Decisions
  health(): Health
  /** Everything in the config but its secrets. */
  config(): JsonObject
  servers(): readonly ServerView[]
  /** False when there is no such upstream. */
  restart(id: string): Promise<boolean>
  tools(): readonly ToolView[]
  /** What the upstreams have and nobody is offered. */
  withheld(): readonly JsonObject[]
  /** Makes a call as that caller would, with everything that stands around calls. */
  call(name: string, args: JsonObject, calling: Calling): Promise<JsonObject>
  pins(): Promise<{ readonly accepted: readonly Pin[]; readonly waiting: readonly Drift[] }>
  accept(server: string, tool: string, hash: string): Promise<void>
  policy(): { readonly file: string | undefined; readonly version: string; readonly rules: JsonObject; readonly trouble?: string }
  explain(call: WrittenCall): Explanation
  /** Calls that are under way. */
  underWay(): number
}

import type { Json, JsonObject } from './json.js'
import type { Decision } from './policy.js'

export type Hints = {
  readonly readOnly?: boolean
  readonly destructive?: boolean
  readonly idempotent?: boolean
  readonly openWorld?: boolean
}

export type ToolState = 'on' | 'off' | 'hidden'

export type Tool = {
  readonly name: string
  readonly server: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: JsonObject
  readonly outputSchema?: Json
  /** What its server claims, believed or not. */
  readonly annotations?: JsonObject
  readonly hints: Hints
  readonly hash: string
  /** Kept back until somebody accepts its definition. */
  readonly waiting: boolean
  readonly sets: readonly string[]
  readonly trusted: boolean
  readonly state: ToolState
  readonly firstSeenAt?: number
  readonly accepted?: { readonly at: number; readonly by?: string }
  readonly decision: { readonly anyone: Decision | 'depends'; readonly rule?: string }
  readonly scopes?: readonly string[]
}

export type Tools = { readonly tools: readonly Tool[] }

/** What a scan of a definition found. */
export type Advice = { readonly kind: string; readonly where?: string; readonly text?: string } & {
  readonly [key: string]: Json | undefined
}

export type Pin = {
  readonly server?: string
  readonly tool: string
  readonly hash: string
  readonly definition: JsonObject
  readonly at: number
  readonly by?: string
}

/** A definition that waits to be accepted; without `before` the tool is new. */
export type Drift = {
  readonly server?: string
  readonly tool: string
  readonly hash: string
  readonly before?: JsonObject
  readonly after: JsonObject
  readonly advice: readonly Advice[]
  /** Where it has been refused: when, and by whom. */
  readonly refusedAt?: number
  readonly by?: string
}

export type Pins = { readonly accepted: readonly Pin[]; readonly waiting: readonly Drift[]; readonly refused?: readonly Drift[] }

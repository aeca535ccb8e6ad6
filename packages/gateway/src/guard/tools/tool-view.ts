// One tool, with all that is known about who may call it and since when.
import type { Hints, Json, JsonObject } from 'toolwire'

export const toolStates = ['on', 'off', 'hidden'] as const
/** Offered; refused and not listed; or not listed, and called only where a rule that names it lets it be. */
export type ToolState = (typeof toolStates)[number]

/** The decision for calls with any arguments; `depends` if the arguments or the caller decide. */
export type Outlook = 'allow' | 'ask' | 'deny' | 'depends'

/** Who says so: an untrusted server, which nobody has verified; the operator, or a server that is trusted; or nobody. */
export type HintBasis = 'claimed' | 'trusted' | 'unsaid'

/** One tool under the name that callers know. */
export type ToolView = {
  readonly name: string
  readonly server: string
  /** The name by which its server knows it. */
  readonly ownName: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: JsonObject
  readonly outputSchema?: Json
  /** What its server claims, believed or not. */
  readonly annotations?: JsonObject
  /** What is believed of it. */
  readonly hints: Hints
  /** The same claims by the names that hints have here, with what the operator says instead. */
  readonly claims: Hints
  /** Of each hint, whether it is no more than a claim. */
  readonly hintBasis: { readonly [K in keyof Required<Hints>]: HintBasis }
  readonly hash: string
  /** Kept back until somebody accepts its definition. */
  readonly waiting: boolean
}

export type ToolDetails = ToolView & {
  /** The sets that it is in. */
  readonly sets: readonly string[]
  readonly trusted: boolean
  readonly state: ToolState
  /** Milliseconds since 1970. */
  readonly firstSeenAt?: number
  /** Nobody where it was accepted because its server was new. */
  readonly accepted?: { readonly at: number; readonly by?: string }
  /** `rule` is the one that decides about a call without arguments by a program on this machine. */
  readonly decision: {
    readonly anyone: Outlook
    readonly rule?: string
    /** No rule decides: it is allowed because its server says, unverified, that it only reads. */
    readonly ground?: 'claim'
  }
  readonly scopes?: readonly string[]
}

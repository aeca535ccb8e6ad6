import type { Decision, JsonObject } from '../api/types.js'

/** What the gateway says about a call without making it. */
export type Explanation = {
  readonly decision: Decision
  readonly rule?: string
  readonly why: string
  /** The caller does not see the tool at all. */
  readonly hidden: boolean
  readonly considered: readonly Considered[]
  readonly terms: readonly { readonly name: string; readonly limit?: JsonObject; readonly timeout?: number }[]
}

/** What one rule had to say. */
export type Considered = {
  readonly rule: string
  readonly decision: Decision
  readonly outcome: 'decided' | 'did not fit' | 'might fit'
  readonly why?: string
}

export const decisionTones = { allow: 'ok', ask: 'warning', deny: 'danger' } as const satisfies Record<Decision, string>

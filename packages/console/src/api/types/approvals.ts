import type { JsonObject } from './json.js'
import type { Hints } from './tools.js'

export type Danger = 'destructive' | 'write' | 'read'

/** A call that waits for somebody to say yes or no. */
export type Approval = {
  readonly id: string
  /** Of everything that the answer is bound to; sent back with the answer. */
  readonly digest: string
  readonly server: string | null
  readonly tool: {
    readonly name: string
    readonly title?: string
    readonly description?: string
    readonly hash: string
  }
  readonly caller: string
  /** Exactly what will be sent. */
  readonly arguments: JsonObject
  readonly askedAt: number
  readonly expiresAt: number
  readonly rule?: string
  readonly policy?: string
  readonly danger: Danger
  /** What to act on: the worst case where its server is not believed. */
  readonly hints: Hints
  /** What its server claims. */
  readonly claims?: Hints
  readonly trusted: boolean
  /** The call waits; if not, an identical one may come back for the decision. */
  readonly held?: boolean
  /** The call of the same tool by the same caller that was approved last. */
  readonly last?: { readonly arguments: JsonObject; readonly at: number; readonly by?: string }
  /** Something is not as it was when this was asked: it cannot be allowed. */
  readonly changed?: boolean
  readonly changes?: readonly ('tool' | 'definition' | 'policy')[]
}

export type ApprovalGroup = {
  readonly tool: string
  readonly server: string | null
  readonly caller: string
  readonly count: number
  readonly danger: Danger
}

export type Approvals = {
  readonly total: number
  readonly groups: readonly ApprovalGroup[]
  readonly approvals: readonly Approval[]
  readonly next?: string
}

/** Allows later calls of the tool, too. */
export type Always = { readonly forMs: number; readonly arguments?: JsonObject }

export type Grant = {
  readonly id: string
  readonly caller: string
  readonly server?: string
  readonly tool: string
  readonly definitionHash: string
  readonly arguments?: JsonObject
  readonly expiresAt: number
}

export type Grants = { readonly grants: readonly Grant[] }

import type { ApprovalAnswer, ApprovalRequest, StandingApproval } from './approval.js'

/** A stored request for approval, with all that a person needs to see and that the answer is bound to. */
export type PendingApproval = Omit<ApprovalRequest, 'signal'> & {
  /** True if the call waits, and the approval is for it alone. If not, an identical call may come back for it. */
  readonly held: boolean
}

/** The state of a request. It leaves 'pending' once, and 'allowed' once. */
export type ApprovalState =
  | { readonly state: 'pending' }
  | { readonly state: 'allowed'; readonly always?: StandingApproval }
  | { readonly state: 'denied'; readonly why?: string }
  /** The approval was used; the request expired; or it was withdrawn or is unknown. */
  | { readonly state: 'released' | 'expired' | 'gone' }

export type SettledApproval = Exclude<ApprovalState, { state: 'pending' }>

/**
 * 'full' if there is no room for another pending request, or none for its arguments; 'known' if there is an identical one that is not held.
 */
export type ApprovalAdded = 'added' | 'full' | 'known'

/**
 * Stores pending approvals. Every transition is one compare-and-set, so that a database can do it in one conditional UPDATE. Exactly one
 * caller gets `true`. If the store fails, calls are refused.
 */
export interface ApprovalStore {
  /** Adds a request, unless the caller has `most` pending ones. There is only one for each `callDigest` that is not held. */
  add(asked: PendingApproval, most: number): ApprovalAdded | Promise<ApprovalAdded>
  /** Moves from 'pending' to 'allowed' or 'denied', before the expiry. Anything but a clear approval is a denial. True for one decider. */
  decide(id: string, answer: ApprovalAnswer): boolean | Promise<boolean>
  /** Moves from 'allowed' to 'released', before the expiry, if the digest is the one that was added. True for one call. */
  release(id: string, digest: string): boolean | Promise<boolean>
  /**
   * Sets `held` to false: the call no longer waits, and an identical one may come back for the decision. False if another one has been left
   * for it already. Needed for `holdMs`.
   */
  leave?(id: string): boolean | Promise<boolean>
  /** Withdraws a request that nobody waits for any more. A decision on it has no effect. */
  withdraw(id: string): void | Promise<void>
  /** The pending requests, oldest first, at most `most`. */
  pending(most?: number): readonly PendingApproval[] | Promise<readonly PendingApproval[]>
  /** The request that an identical call has left here, unless it was released or has expired. */
  matching(callDigest: string): StoredApproval | undefined | Promise<StoredApproval | undefined>
  /** Resolves when the request is no longer pending; rejects when the signal aborts. */
  settled(id: string, signal: AbortSignal): Promise<SettledApproval>
  /** Calls the listener after every addition and decision, until the returned function is called. */
  onChange(listener: () => void): () => void
}

export type StoredApproval = { readonly asked: PendingApproval; readonly is: ApprovalState }

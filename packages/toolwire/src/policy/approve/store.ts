import type { ApprovalAnswer, ApprovalRequest, StandingApproval } from './approval.js'

/** A call that waits for a person who is not here: all that they need to see, and all that their answer is bound to. */
export type PendingApproval = Omit<ApprovalRequest, 'signal'> & {
  /** The call waits, and the approval is for it alone. If not, an identical call may come back for it. */
  readonly held: boolean
}

/** What has become of a request. It leaves 'pending' once, and 'allowed' once. */
export type ApprovalState =
  | { readonly state: 'pending' }
  | { readonly state: 'allowed'; readonly always?: StandingApproval }
  | { readonly state: 'denied'; readonly why?: string }
  /** The approval has been used; the time was over; the caller went away, or nothing is known of such a request. */
  | { readonly state: 'released' | 'expired' | 'gone' }

export type SettledApproval = Exclude<ApprovalState, { state: 'pending' }>

/** 'full' when the caller has as many pending as may be; 'known' when an identical call that is not held is there already. */
export type ApprovalAdded = 'added' | 'full' | 'known'

/**
 * Holds pending approvals. Every transition is one compare-and-set, so that a database can do it in one conditional UPDATE.
 * Exactly one caller gets `true`. When the store fails, calls are refused.
 */
export interface ApprovalStore {
  /** Puts a request there, unless the caller has `most` pending already. Of those that are not held there is one for each `callDigest`. */
  add(asked: PendingApproval, most: number): ApprovalAdded | Promise<ApprovalAdded>
  /** From 'pending' to 'allowed' or 'denied', while there is time. What is not clearly a yes is a no. True for one decider. */
  decide(id: string, answer: ApprovalAnswer): boolean | Promise<boolean>
  /** From 'allowed' to 'released', while there is time, if the digest is the one that was added. True for one call. */
  release(id: string, digest: string): boolean | Promise<boolean>
  /**
   * The call waits no longer, and an identical one may come back for the decision: `held` becomes false. False where another one
   * has been left for it already. Needed for `holdMs`.
   */
  leave?(id: string): boolean | Promise<boolean>
  /** Nobody waits for the decision any more; it has no effect. */
  withdraw(id: string): void | Promise<void>
  /** The requests that wait for a decision, oldest first; no more than `most`. */
  pending(most?: number): readonly PendingApproval[] | Promise<readonly PendingApproval[]>
  /** The request that an identical call has left here, unless it is released or its time is over. */
  matching(callDigest: string): StoredApproval | undefined | Promise<StoredApproval | undefined>
  /** Settles when the request is no longer pending; rejects when the signal aborts. */
  settled(id: string, signal: AbortSignal): Promise<SettledApproval>
  /** Calls back whenever something is added or decided, until the returned function is called. */
  onChange(listener: () => void): () => void
}

export type StoredApproval = { readonly asked: PendingApproval; readonly is: ApprovalState }

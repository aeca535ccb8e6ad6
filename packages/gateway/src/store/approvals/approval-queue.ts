// The queue of pending requests, in the order in which a person goes through them.
import type { ApprovalCells, ApprovalRow } from './approval-row.js'

export type ApprovalFilter = { readonly tool?: string; readonly server?: string; readonly caller?: string }

export type QueueQuery = ApprovalFilter & {
  readonly limit: number
  readonly after?: QueuePosition
}

/**
 * Position of a request in the queue. The first ten requests of each caller come before their next ten, so that a flood from one caller
 * does not hide other callers. Then the more dangerous come first, and then the older.
 */
export type QueuePosition = { readonly share: number; readonly danger: number; readonly added: number }

/** Pending requests that differ only in what is asked for. */
export type ApprovalQueueGroup = {
  readonly server?: string
  readonly tool: string
  readonly caller: string
  readonly count: number
  readonly danger: number
}

export type QueuedCells = ApprovalCells & { tool: string; caller: string; server: string | null; danger: number }

export type QueuedApproval = {
  readonly kept: ApprovalRow
  readonly danger: number
  /** The last allowed call of the same caller to the same tool of the same server. */
  readonly last?: ApprovalRow
}

export type ApprovalQueue = {
  /** Number of pending requests, including those before and after this page. */
  readonly total: number
  readonly groups: readonly ApprovalQueueGroup[]
  readonly page: readonly QueuedApproval[]
  readonly next?: QueuePosition
}

export const mostQueueGroups = 200
export const eachQueueShare = 10
/** As many bytes of requests as a browser can take at once. A page has at least one request. */
export const mostPageBytes = 4 * 1_024 * 1_024

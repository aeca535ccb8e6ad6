// The requests that wait, as somebody who decides goes through them.
import type { ApprovalCells, ApprovalRow } from './approval-row.js'

/** Which of the requests that wait are meant. */
export type ApprovalFilter = { readonly tool?: string; readonly server?: string; readonly caller?: string }

export type QueueQuery = ApprovalFilter & {
  readonly limit: number
  /** Goes on after the request that stands there. */
  readonly after?: QueuePosition
}

/**
 * Where a request stands in the queue: the first ten of each caller before their next ten, so that one caller's flood hides nobody
 * else's; then the more dangerous before the less, and the older before the newer.
 */
export type QueuePosition = { readonly share: number; readonly danger: number; readonly added: number }

/** Requests that differ in nothing but what is asked for. */
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
  /** The last call of the same tool of the same server, by the same caller, that was allowed. */
  readonly last?: ApprovalRow
}

export type ApprovalQueue = {
  /** How many wait, before and after this page. */
  readonly total: number
  readonly groups: readonly ApprovalQueueGroup[]
  readonly page: readonly QueuedApproval[]
  readonly next?: QueuePosition
}

export const mostQueueGroups = 200
export const eachQueueShare = 10
const mostCharacters = 8 * 1_024 * 1_024

/** As many as a browser can take in one go, and one in any case. */
export function fittingPage<Row extends QueuedCells>(rows: readonly Row[]): readonly Row[] {
  let characters = 0
  const first = rows.findIndex(({ text, sealed }, at) => {
    characters += text.length + (sealed?.byteLength ?? 0)
    return at > 0 && characters > mostCharacters
  })
  return first === -1 ? rows : rows.slice(0, first)
}

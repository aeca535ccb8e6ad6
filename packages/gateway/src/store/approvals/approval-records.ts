// Converts requests for approval to database rows, and rows to requests.

import type { ApprovalAnswer, ApprovalState, PendingApproval } from 'toolwire/guard'
import { approvals } from 'toolwire/relay'
import type { QueuedApproval } from './approval-queue.js'
import type { ApprovalDecision, ApprovalRow, NewApproval } from './approval-row.js'
import type { SealedArguments } from './sealed-arguments.js'

export type { ApprovalFilter, QueuePosition, QueueQuery } from './approval-queue.js'

/** A stored request in any state. */
export type ApprovalRecord = approvals.StoredApproval &
  Pick<ApprovalRow, 'askedAt' | 'settledAt' | 'by' | 'decision'> & {
    /** The arguments were removed after the decision, and only an earlier process knew them. */
    readonly isForgotten?: true
    /** The sealed arguments of the pending call were changed on the disk, so nobody can tell what the call would do. */
    readonly isUnreadable?: true
  }

/** A pending request, with the last allowed call like it. */
export type QueuedApprovalRecord = ApprovalRecord & { readonly danger: number; readonly last?: ApprovalRecord }

export function decisionOf(answer: ApprovalAnswer): ApprovalDecision {
  const decision = approvals.readApprovalAnswer(answer)
  return decision.allowed
    ? { state: 'allowed', ...(decision.always && { always: decision.always }) }
    : { state: 'denied', ...(decision.why !== undefined && { why: decision.why }) }
}

export function newApprovalOf(asked: PendingApproval, calls: SealedArguments): NewApproval {
  const { id, caller, server, tool, callDigest, digest, held, expiresAt } = asked
  const waitsMs = expiresAt - Date.now()
  const about = { id, caller, server, tool: tool.name, danger: dangerRank(asked.hints) }
  const texts = { text: recordText(asked), sealed: calls.seal(id, asked) }
  return { ...about, callDigest, digest, held, ...texts, expiresAt: Math.trunc(expiresAt), waitsMs }
}

/** The request without its arguments and display, which are sealed beside it. */
export const recordText = (asked: object): string => JSON.stringify({ ...asked, arguments: undefined, display: undefined })

export const idOf = ({ text }: ApprovalRow): string => (JSON.parse(text) as PendingApproval).id // `recordText` wrote it

export async function approvalRecordOf(kept: ApprovalRow, calls: SealedArguments): Promise<ApprovalRecord> {
  const { text, sealed, held, state: _, why: __, always: ___, ...rest } = kept
  // `recordText` wrote this text, which leaves out undefined values.
  const about = JSON.parse(text) as Omit<PendingApproval, 'arguments' | 'display'>
  const said = await calls.of(about.id, sealed)
  const { arguments: args, display } = said ?? forgotten
  const asked = { ...about, arguments: args, display, policyVersion: about.policyVersion, server: about.server, held }
  const gaps = {
    ...(!said && { isForgotten: true as const }),
    ...(said && 'isUnreadable' in said && { isUnreadable: true as const }),
  }
  return { ...rest, asked: Object.freeze(asked), is: approvalStateOf(kept), ...gaps }
}

/** One at a time, because other work goes on between them. */
export async function approvalRecordsOf(rows: readonly ApprovalRow[], calls: SealedArguments): Promise<ApprovalRecord[]> {
  const records: ApprovalRecord[] = []
  for (const row of rows) records.push(await approvalRecordOf(row, calls))
  return records
}

/** Many pending calls may have the same last one, with megabytes of arguments, so it is parsed once for all of them. */
export async function queuedRecordsOf(page: readonly QueuedApproval[], calls: SealedArguments): Promise<QueuedApprovalRecord[]> {
  const lasts = new Map<string, ApprovalRecord>()
  const records: QueuedApprovalRecord[] = []
  for (const { kept, danger, last } of page) {
    const record = await approvalRecordOf(kept, calls)
    const lastRecord = last && (lasts.get(last.text) ?? (await approvalRecordOf(last, calls)))
    if (last && lastRecord) lasts.set(last.text, lastRecord)
    records.push({ ...record, danger, ...(lastRecord && { last: lastRecord }) })
  }
  return records
}

const forgotten = { arguments: {}, display: '' }

export function approvalStateOf({ state, why, always }: ApprovalRow): ApprovalState {
  if (state === 'allowed') return always ? { state, always } : { state }
  if (state === 'denied') return why === undefined ? { state } : { state, why }
  return { state }
}

/** Ranks the danger of a call: 0 reads, 1 writes idempotently, 2 writes, 3 may destroy something. */
function dangerRank({ readOnly, destructive, idempotent }: PendingApproval['hints']): number {
  if (readOnly) return 0
  if (destructive) return 3
  return idempotent ? 1 : 2
}

import type { ChangeSource } from '../store-client.js'
import { approvalRecordOf, approvalStateOf } from './approval-records.js'
import type { SealedArguments } from './sealed-arguments.js'
import type { ApprovalEvent } from './stored-approvals.js'

const ranks = { allowed: 2, denied: 2, released: 3, expired: 3, gone: 3 } as const
const mostRemembered = 20_000

/**
 * Reports each change of a request once. With a shared database, changes arrive from this gateway and from the database, in either order.
 * Without one, every change is reported.
 */
export function sharedMoves(changes: ChangeSource | undefined, calls: SealedArguments, tell: (move: ApprovalEvent) => void) {
  if (!changes) return tell
  const told = new Map<string, number>()

  function isNew(move: ApprovalEvent): boolean {
    const [id, rank] = move.what === 'asked' ? [move.asked.id, 1] : [move.id, ranks[move.is.state]]
    if ((told.get(id) ?? 0) >= rank) return false
    told.delete(id)
    told.set(id, rank)
    if (told.size > mostRemembered) for (const oldest of [...told.keys()].slice(0, mostRemembered / 2)) told.delete(oldest)
    return true
  }

  function moved(move: ApprovalEvent): void {
    if (isNew(move)) tell(move)
  }

  changes.onApproval((id, row) => {
    const is = approvalStateOf(row)
    if (is.state !== 'pending') moved({ what: 'over', id, is, ...(row.by !== undefined && { by: row.by }) })
    else moved({ what: 'asked', asked: approvalRecordOf(row, calls).asked, elsewhere: true })
  })
  return moved
}

import { bounds } from 'toolwire/relay'
import type { ChangeSource } from '../store-client.js'
import { approvalRecordOf, approvalStateOf } from './approval-records.js'
import type { ApprovalRow } from './approval-row.js'
import type { SealedArguments } from './sealed-arguments.js'
import type { ApprovalEvent } from './stored-approvals.js'

const ranks = { allowed: 2, denied: 2, released: 3, expired: 3, gone: 3 } as const
const mostRemembered = 20_000

/**
 * Reports each change of a request once. With a shared database, changes arrive from this gateway and from the database, in either order.
 * Without one, every change is reported.
 */
export function approvalEventReporter(
  changes: ChangeSource | undefined,
  calls: SealedArguments,
  onEvent: (event: ApprovalEvent) => void,
) {
  if (!changes) return onEvent
  const reported = new bounds.BoundedMap<string, number>(mostRemembered)

  function isNew(event: ApprovalEvent): boolean {
    const [id, rank] = event.what === 'asked' ? [event.asked.id, 1] : [event.id, ranks[event.is.state]]
    if ((reported.get(id) ?? 0) >= rank) return false
    reported.set(id, rank)
    return true
  }

  function report(event: ApprovalEvent): void {
    if (isNew(event)) onEvent(event)
  }

  async function reportPending(row: ApprovalRow): Promise<void> {
    const { asked } = await approvalRecordOf(row, calls)
    report({ what: 'asked', asked, elsewhere: true })
  }

  changes.onApproval((id, row) => {
    const is = approvalStateOf(row)
    if (is.state !== 'pending') report({ what: 'over', id, is, ...(row.by !== undefined && { by: row.by }) })
    else reportPending(row).catch(() => undefined) // a row that cannot be read is refused to everybody who asks for it
  })
  return report
}

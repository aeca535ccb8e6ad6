import { type ApprovalCells, type ApprovalRow, approvalRowOf } from '../../approvals/approval-row.js'

/** The columns that are read of a request, without `sealed`. */
export const plainColumns =
  'asked AS text, held::int AS held, state, why, always, decider AS "by", decision, settled AS "settledAt", expires, waits'
export const approvalCells = `${plainColumns}, sealed`

/** Matches requests that can still be decided. */
export const stillWaits = `live AND state = 'pending' AND until > clock_timestamp()`
/** Marks every change for the gateways that look for changes. */
export const changing = 'changed = pg_current_xact_id()'

export const postgresApprovalRow = ({
  sealed = null,
  ...cells
}: Omit<ApprovalCells, 'sealed'> & Partial<ApprovalCells>): ApprovalRow => approvalRowOf({ ...cells, sealed })

import { type ApprovalCells, type ApprovalRow, mostPastRows } from '../../approvals/approval-row.js'
import type { Sql } from '../connection.js'
import { approvalCells, plainColumns, postgresApprovalRow, stillWaits } from './approval-columns.js'

type Standing = { readonly kept: ApprovalRow; readonly leftMs: number }

export function approvalReads(sql: Sql) {
  return {
    async pending(most: number): Promise<ApprovalRow[]> {
      const text = `SELECT ${approvalCells} FROM toolwire.approvals WHERE ${stillWaits} ORDER BY added LIMIT $1`
      return (await sql<ApprovalCells>(text, [most])).map(postgresApprovalRow)
    },
    async matching(callDigest: string): Promise<ApprovalRow | undefined> {
      const [row] = await sql<ApprovalCells>(
        `SELECT ${approvalCells} FROM toolwire.approvals
         WHERE live AND NOT held AND call_digest = $1 AND until > clock_timestamp()`,
        [callDigest],
      )
      return row && postgresApprovalRow(row)
    },
    async standing(id: string): Promise<Standing | undefined> {
      const [row] = await sql<ApprovalCells & { leftMs: number }>(
        `SELECT ${approvalCells}, extract(epoch from until - clock_timestamp())::float8 * 1000 AS "leftMs"
         FROM toolwire.approvals WHERE id = $1`,
        [id],
      )
      if (!row) return undefined
      const { leftMs, ...cells } = row
      const kept = postgresApprovalRow(cells)
      const isOver = leftMs <= 0 && (kept.state === 'pending' || kept.state === 'allowed')
      return { kept: isOver ? { ...kept, state: 'expired' } : kept, leftMs }
    },
    async history(most: number): Promise<ApprovalRow[]> {
      const rows = await sql<ApprovalCells>(
        `SELECT ${approvalCells} FROM toolwire.approvals
         WHERE state <> 'pending' AND (NOT live OR until > clock_timestamp()) ORDER BY added DESC LIMIT $1`,
        [Math.min(most, mostPastRows)],
      )
      return rows.map(postgresApprovalRow)
    },
    /** Reads requests without their sealed arguments. */
    async byIds(ids: readonly string[]): Promise<(readonly [id: string, row: ApprovalRow])[]> {
      const text = `SELECT id, ${plainColumns} FROM toolwire.approvals WHERE id = ANY($1) ORDER BY added`
      const rows = await sql<Omit<ApprovalCells, 'sealed'> & { id: string }>(text, [ids])
      return rows.map(({ id, ...cells }) => [id, postgresApprovalRow(cells)])
    },
  }
}

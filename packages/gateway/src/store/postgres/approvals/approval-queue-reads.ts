import {
  type ApprovalFilter,
  type ApprovalQueue,
  type ApprovalQueueGroup,
  eachQueueShare,
  mostPageBytes,
  mostQueueGroups,
  type QueuedApproval,
  type QueuedCells,
  type QueuePosition,
  type QueueQuery,
} from '../../approvals/approval-queue.js'
import type { ApprovalCells } from '../../approvals/approval-row.js'
import { withoutNulls } from '../../database/cells.js'
import { hintHolder } from '../change-hints.js'
import type { Sql } from '../connection.js'
import { nowMs } from '../connection.js'
import { approvalCells, changing, postgresApprovalRow, stillWaits } from './approval-columns.js'

type Cells = QueuedCells & { readonly identity: string | null }

const among = '($1::text IS NULL OR tool = $1) AND ($2::text IS NULL OR caller = $2) AND ($3::text IS NULL OR server = $3)'
const about = `${approvalCells}, danger, server, tool, caller, identity`

/** The queue of pending requests, in the order in which a person goes through them at the gateway `replica`. */
export function approvalQueueReads(sql: Sql, replica: string) {
  /** Adds the last allowed call of the same caller to the same tool of the same server. */
  async function queued(row: Cells): Promise<QueuedApproval> {
    const { danger, tool, caller, server, identity, ...cells } = row
    const [before] = await sql<ApprovalCells>(
      `SELECT ${approvalCells} FROM toolwire.approvals WHERE decision = 'allow' AND md5(tool) = md5($1) AND md5(caller) = md5($2)
         AND tool = $1 AND caller = $2 AND server IS NOT DISTINCT FROM $3 AND identity IS NOT DISTINCT FROM $4
       ORDER BY added DESC LIMIT 1`,
      [tool, caller, server, identity],
    )
    return { kept: postgresApprovalRow(cells), danger, ...(before && { last: postgresApprovalRow(before) }) }
  }

  async function page({ limit, after, ...which }: QueueQuery) {
    const from = after ? [after.share, after.danger, after.added] : [-1, 0, 0]
    // Only the requests of the page are read, because each may have megabytes of arguments.
    const rows = await sql<Cells & QueuePosition & { found: number }>(
      `WITH waiting AS (
         SELECT added AS place, danger AS worth,
           (row_number() OVER (PARTITION BY caller ORDER BY danger DESC, added) - 1) / ${eachQueueShare} AS share
         FROM toolwire.approvals WHERE ${stillWaits} AND ${among}
       ), page AS (
         SELECT * FROM waiting WHERE (share, -worth, place) > ($4::bigint, -$5::int, $6::bigint)
         ORDER BY share, worth DESC, place LIMIT $7
       ), sized AS (
         SELECT place, share, count(*) OVER () AS found, row_number() OVER pages AS nth,
           sum(octet_length(asked) + coalesce(octet_length(sealed), 0)) OVER pages AS bytes
         FROM page JOIN toolwire.approvals ON added = place WINDOW pages AS (ORDER BY share, worth DESC, place)
       )
       SELECT ${about}, added::float8 AS added, share::float8 AS share, found::int AS found
       FROM sized JOIN toolwire.approvals ON added = place
       WHERE nth = 1 OR (nth < $7 AND bytes <= ${mostPageBytes}) ORDER BY nth`,
      [...namesIn(which), ...from, limit + 1],
    )
    const end = rows.at(-1)
    const hasMore = end !== undefined && end.found > rows.length
    return {
      shown: rows.map(({ found: _, ...row }) => row),
      next: hasMore ? { share: end.share, danger: end.danger, added: end.added } : undefined,
    }
  }

  async function countPending(): Promise<number> {
    const [count] = await sql<{ total: number }>(`SELECT count(*)::int AS total FROM toolwire.approvals WHERE ${stillWaits}`)
    return count?.total ?? 0
  }

  return {
    countPending,
    async queue(query: QueueQuery): Promise<ApprovalQueue> {
      const { shown, next } = await page(query)
      const total = await countPending()
      const groups = await sql<Omit<ApprovalQueueGroup, 'server'> & { server: string | null }>(
        `SELECT server, tool, caller, count(*)::int AS count, max(danger) AS danger FROM toolwire.approvals WHERE ${stillWaits}
         GROUP BY server, tool, caller ORDER BY max(danger) DESC, count(*) DESC LIMIT ${mostQueueGroups}`,
      )
      const queue: QueuedApproval[] = []
      for (const { added: _, share: __, ...row } of shown) queue.push(await queued(row))
      return { total, groups: groups.map(withoutNulls), page: queue, ...(next && { next }) }
    },
    async waiting(id: string): Promise<QueuedApproval | undefined> {
      const [row] = await sql<Cells>(`SELECT ${about} FROM toolwire.approvals WHERE ${stillWaits} AND id = $1`, [id])
      return row && queued(row)
    },
    /** Returns the ids of the denied requests. */
    async denyAll(which: ApprovalFilter, { why, by }: { readonly why?: string; readonly by: string }): Promise<string[]> {
      const rows = await sql<{ id: string }>(
        `WITH denied AS (UPDATE toolwire.approvals SET state = 'denied', decision = 'deny', why = $4, decider = $5,
           settled = ${nowMs}, sealed = NULL, ${changing}
         WHERE added IN (SELECT added FROM toolwire.approvals WHERE ${stillWaits} AND ${among} ORDER BY added FOR UPDATE)
           AND ${stillWaits} RETURNING id, held, holder)
         SELECT id, ${hintHolder('$6')} FROM denied`,
        [...namesIn(which), why ?? null, by, replica],
      )
      return rows.map(({ id }) => id)
    },
  }
}

const namesIn = ({ tool, caller, server }: ApprovalFilter) => [tool ?? null, caller ?? null, server ?? null]

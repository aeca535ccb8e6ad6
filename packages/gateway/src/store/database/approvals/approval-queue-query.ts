import type {
  ApprovalFilter,
  ApprovalQueue,
  ApprovalQueueGroup,
  QueuedApproval,
  QueuedCells,
  QueuePosition,
  QueueQuery,
} from '../../approvals/approval-queue.js'
import { eachQueueShare, mostPageBytes, mostQueueGroups } from '../../approvals/approval-queue.js'
import { type ApprovalCells, approvalRowOf } from '../../approvals/approval-row.js'
import { type Cell, withoutNulls } from '../cells.js'
import { type DatabaseConnection, preparer } from '../connection.js'
import { approvalColumns } from './approval-rows.js'

const waits = `live = 1 AND state = 'pending' AND until > ?`
const among = '(?1 IS NULL OR tool = ?1) AND (?2 IS NULL OR caller = ?2) AND (?3 IS NULL OR server = ?3)'

/** Queries of the pending requests, in the order in which a person goes through them. */
export function approvalQueueQueries(db: DatabaseConnection, now: () => number) {
  const sql = preparer(db)
  const count = sql<{ total: number }>(`SELECT count(*) AS total FROM approvals WHERE ${waits}`)
  const groups = sql<Omit<ApprovalQueueGroup, 'server'> & { server: string | null }>(
    `SELECT server, tool, caller, count(*) AS count, max(danger) AS danger FROM approvals WHERE ${waits}
     GROUP BY server, tool, caller ORDER BY max(danger) DESC, count(*) DESC LIMIT ${mostQueueGroups}`,
  )
  // Only the requests of the page are read, because each may have megabytes of arguments.
  const page = sql<QueuedCells & QueuePosition & { found: number }>(
    `WITH waiting AS (
       SELECT added AS place, danger AS worth,
         (row_number() OVER (PARTITION BY caller ORDER BY danger DESC, added) - 1) / ${eachQueueShare} AS share
       FROM approvals WHERE live = 1 AND state = 'pending' AND until > ?4 AND ${among}
     ), page AS (
       SELECT * FROM waiting WHERE (share, -worth, place) > (?5, -?6, ?7) ORDER BY share, worth DESC, place LIMIT ?8
     ), sized AS (
       SELECT place, share, count(*) OVER () AS found, row_number() OVER pages AS nth,
         sum(length(asked) + coalesce(length(sealed), 0)) OVER pages AS bytes
       FROM page JOIN approvals ON added = place WINDOW pages AS (ORDER BY share, worth DESC, place)
     )
     SELECT ${approvalColumns}, danger, added, server, tool, caller, share, found FROM sized JOIN approvals ON added = place
     WHERE nth = 1 OR (nth < ?8 AND bytes <= ${mostPageBytes}) ORDER BY nth`,
  )
  const one = sql<QueuedCells>(`SELECT ${approvalColumns}, danger, server, tool, caller FROM approvals WHERE ${waits} AND id = ?`)
  const last = sql<ApprovalCells>(
    `SELECT ${approvalColumns} FROM approvals WHERE decision = 'allow' AND tool = ? AND caller = ? AND server IS ?
       AND asked ->> '$.serverIdentity' IS ? ->> '$.serverIdentity'
     ORDER BY added DESC LIMIT 1`,
  )
  const denyAll = sql<{ id: string }>(
    `UPDATE approvals SET state = 'denied', decision = 'deny', why = ?5, decider = ?6, settled = ?7
     WHERE live = 1 AND state = 'pending' AND until > ?4 AND ${among} RETURNING id`,
  )

  function queued(row: QueuedCells): QueuedApproval {
    const before = last.first(row.tool, row.caller, row.server, row.text)
    return { kept: approvalRowOf(row), danger: row.danger, ...(before && { last: approvalRowOf(before) }) }
  }

  const countPending = (): number => count.first(now())?.total ?? 0

  return {
    countPending,
    queue(query: QueueQuery): ApprovalQueue {
      const { limit, after } = query
      const from = after ? [after.share, after.danger, after.added] : [-1, 0, 0]
      const shown = page.all(...namesIn(query), now(), ...from, limit + 1)
      const end = shown.at(-1)
      const hasMore = end !== undefined && end.found > shown.length
      return {
        total: countPending(),
        groups: groups.all(now()).map(withoutNulls),
        page: shown.map(queued),
        ...(hasMore && { next: { share: end.share, danger: end.danger, added: end.added } }),
      }
    },
    waiting(id: string): QueuedApproval | undefined {
      const row = one.first(now(), id)
      return row && queued(row)
    },
    /** Returns the ids of the denied requests. */
    denyAll: (which: ApprovalFilter, { why, by }: { readonly why?: string; readonly by: string }) =>
      denyAll.all(...namesIn(which), now(), why ?? null, by, Date.now()).map(({ id }) => id),
  }
}

const namesIn = ({ tool, caller, server }: ApprovalFilter): Cell[] => [tool ?? null, caller ?? null, server ?? null]

import { type Cell, type DatabaseConnection, preparer, withoutNulls } from '../connection.js'
import { type ApprovalCells, type ApprovalRow, approvalColumns, approvalRowOf } from './approval-rows.js'

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

type QueuedCells = ApprovalCells & { tool: string; caller: string; server: string | null; danger: number }

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

const mostGroups = 200
const eachShare = 10
const mostCharacters = 8 * 1_024 * 1_024
const waits = `live = 1 AND state = 'pending' AND until > ?`
const among = '(?1 IS NULL OR tool = ?1) AND (?2 IS NULL OR caller = ?2) AND (?3 IS NULL OR server = ?3)'

/** The requests that wait, as somebody who decides goes through them. */
export function approvalQueueQueries(db: DatabaseConnection, now: () => number) {
  const sql = preparer(db)
  const count = sql<{ total: number }>(`SELECT count(*) AS total FROM approvals WHERE ${waits}`)
  const groups = sql<Omit<ApprovalQueueGroup, 'server'> & { server: string | null }>(
    `SELECT server, tool, caller, count(*) AS count, max(danger) AS danger FROM approvals WHERE ${waits}
     GROUP BY server, tool, caller ORDER BY max(danger) DESC, count(*) DESC LIMIT ${mostGroups}`,
  )
  const page = sql<QueuedCells & QueuePosition>(
    `WITH waiting AS (
       SELECT added AS place, danger AS worth,
         (row_number() OVER (PARTITION BY caller ORDER BY danger DESC, added) - 1) / ${eachShare} AS share
       FROM approvals WHERE live = 1 AND state = 'pending' AND until > ?4 AND ${among}
     ), page AS (
       SELECT * FROM waiting WHERE (share, -worth, place) > (?5, -?6, ?7) ORDER BY share, worth DESC, place LIMIT ?8
     )
     SELECT ${approvalColumns}, danger, added, server, tool, caller, share FROM page JOIN approvals ON added = place
     ORDER BY share, danger DESC, added`,
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

  return {
    queue(query: QueueQuery): ApprovalQueue {
      const { limit, after } = query
      const from = after ? [after.share, after.danger, after.added] : [-1, 0, 0]
      const rows = page.all(...namesIn(query), now(), ...from, limit + 1)
      const shown = fitting(rows.slice(0, limit))
      const end = rows.length > shown.length ? shown.at(-1) : undefined
      return {
        total: count.first(now())?.total ?? 0,
        groups: groups.all(now()).map(withoutNulls),
        page: shown.map(queued),
        ...(end && { next: { share: end.share, danger: end.danger, added: end.added } }),
      }
    },
    waiting(id: string): QueuedApproval | undefined {
      const row = one.first(now(), id)
      return row && queued(row)
    },
    /** Gives the ids of those that were denied. */
    denyAll: (which: ApprovalFilter, { why, by }: { readonly why?: string; readonly by: string }) =>
      denyAll.all(...namesIn(which), now(), why ?? null, by, Date.now()).map(({ id }) => id),
  }
}

/** As many as a browser can take in one go, and one in any case. */
function fitting<Row extends QueuedCells>(rows: readonly Row[]): readonly Row[] {
  let characters = 0
  const first = rows.findIndex(({ text, sealed }, at) => {
    characters += text.length + (sealed?.byteLength ?? 0)
    return at > 0 && characters > mostCharacters
  })
  return first === -1 ? rows : rows.slice(0, first)
}

const namesIn = ({ tool, caller, server }: ApprovalFilter): Cell[] => [tool ?? null, caller ?? null, server ?? null]

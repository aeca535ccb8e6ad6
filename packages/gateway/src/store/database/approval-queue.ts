import { type KeptApproval, keptIn } from './approval-rows.js'
import { columns } from './approval-statements.js'
import { bytesOf, type Cell, type Connection, numberOf, type Row, sql, textOf } from './connection.js'

/** Which of the requests that wait are meant. */
export type Among = { readonly tool?: string; readonly server?: string; readonly caller?: string }

export type QueueQuery = Among & {
  readonly limit: number
  /** Goes on after the request that stands there. */
  readonly after?: Place
}

/**
 * Where a request stands in the queue: the first ten of each caller before their next ten, so that one caller's flood hides nobody
 * else's; then the more dangerous before the less, and the older before the newer.
 */
export type Place = { readonly share: number; readonly danger: number; readonly added: number }

/** Requests that differ in nothing but what is asked for. */
export type QueueGroup = {
  readonly server?: string
  readonly tool: string
  readonly caller: string
  readonly count: number
  readonly danger: number
}

export type Queued = {
  readonly kept: KeptApproval
  readonly danger: number
  /** The last call of the same tool of the same server, by the same caller, that was allowed. */
  readonly last?: KeptApproval
}

export type Queue = {
  /** How many wait, before and after this page. */
  readonly total: number
  readonly groups: readonly QueueGroup[]
  readonly page: readonly Queued[]
  readonly next?: Place
}

const mostGroups = 200
const eachShare = 10
const mostCharacters = 8 * 1_024 * 1_024
const waits = `live = 1 AND state = 'pending' AND until > ?`
const among = '(?1 IS NULL OR tool = ?1) AND (?2 IS NULL OR caller = ?2) AND (?3 IS NULL OR server = ?3)'

/** The requests that wait, as somebody who decides goes through them. */
export function approvalQueue(db: Connection) {
  const count = sql(db, `SELECT count(*) AS total FROM approvals WHERE ${waits}`)
  const groups = sql(
    db,
    `SELECT server, tool, caller, count(*) AS count, max(danger) AS danger FROM approvals WHERE ${waits}
     GROUP BY server, tool, caller ORDER BY max(danger) DESC, count(*) DESC LIMIT ${mostGroups}`,
  )
  const page = sql(
    db,
    `WITH waiting AS (
       SELECT added AS place, danger AS worth,
         (row_number() OVER (PARTITION BY caller ORDER BY danger DESC, added) - 1) / ${eachShare} AS share
       FROM approvals WHERE live = 1 AND state = 'pending' AND until > ?4 AND ${among}
     ), page AS (
       SELECT * FROM waiting WHERE (share, -worth, place) > (?5, -?6, ?7) ORDER BY share, worth DESC, place LIMIT ?8
     )
     SELECT ${columns}, danger, added, server, tool, caller, share FROM page JOIN approvals ON added = place
     ORDER BY share, danger DESC, added`,
  )
  const one = sql(db, `SELECT ${columns}, danger, added, server, tool, caller FROM approvals WHERE ${waits} AND id = ?`)
  const last = sql(
    db,
    `SELECT ${columns} FROM approvals WHERE decision = 'allow' AND tool = ? AND caller = ? AND server IS ?
       AND asked ->> '$.serverIdentity' IS ? ->> '$.serverIdentity'
     ORDER BY added DESC LIMIT 1`,
  )
  const denyAll = sql(
    db,
    `UPDATE approvals SET state = 'denied', decision = 'deny', why = ?5, decider = ?6, settled = ?7
     WHERE live = 1 AND state = 'pending' AND until > ?4 AND ${among} RETURNING id`,
  )

  function queued(row: Row): Queued {
    const before = last.first(textOf(row.tool) ?? '', textOf(row.caller) ?? '', row.server ?? null, textOf(row.asked) ?? '{}')
    return { kept: keptIn(row), danger: numberOf(row.danger) ?? 0, ...(before && { last: keptIn(before) }) }
  }

  return {
    queue(query: QueueQuery, now: number): Queue {
      const { limit, after } = query
      const from = after ? [after.share, after.danger, after.added] : [-1, 0, 0]
      const rows = page.all(...namesIn(query), now, ...from, limit + 1)
      const shown = fitting(rows.slice(0, limit))
      const end = rows.length > shown.length ? shown.at(-1) : undefined
      return {
        total: numberOf(count.first(now)?.total) ?? 0,
        groups: groups.all(now).map(groupIn),
        page: shown.map(queued),
        ...(end && { next: placeOf(end) }),
      }
    },
    waiting(id: string, now: number): Queued | undefined {
      const row = one.first(now, id)
      return row && queued(row)
    },
    /** Gives the ids of those that were denied. */
    denyAll: (which: Among, { why, by }: { readonly why?: string; readonly by: string }, now: number): string[] =>
      denyAll.all(...namesIn(which), now, why ?? null, by, Date.now()).map(({ id }) => textOf(id) ?? ''),
  }
}

const placeOf = ({ share, danger, added }: Row): Place => ({
  share: numberOf(share) ?? 0,
  danger: numberOf(danger) ?? 0,
  added: numberOf(added) ?? 0,
})

/** As many as a browser can take in one go, and one in any case. */
function fitting(rows: readonly Row[]): readonly Row[] {
  let characters = 0
  const first = rows.findIndex(({ asked, sealed }, at) => {
    characters += (textOf(asked)?.length ?? 0) + (bytesOf(sealed)?.length ?? 0)
    return at > 0 && characters > mostCharacters
  })
  return first === -1 ? rows : rows.slice(0, first)
}

const namesIn = ({ tool, caller, server }: Among): Cell[] => [tool ?? null, caller ?? null, server ?? null]

function groupIn(row: Row): QueueGroup {
  const server = textOf(row.server)
  return {
    ...(server !== undefined && { server }),
    tool: textOf(row.tool) ?? '',
    caller: textOf(row.caller) ?? '',
    count: numberOf(row.count) ?? 0,
    danger: numberOf(row.danger) ?? 0,
  }
}

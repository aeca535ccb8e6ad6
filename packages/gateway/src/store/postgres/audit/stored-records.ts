import type { AuditEntry } from 'toolwire/guard'
import type { AuditCall, CallRow } from '../../audit/audit-query.js'
import { withoutNulls } from '../../database/cells.js'
import type { Sql } from '../connection.js'
import { searchText } from './record-rows.js'

export const callColumns = `c.position::float8 AS sequence, c.stream, c.call, c.at::float8 AS at, c.caller, c.server, c.tool, c.continued,
  e.position::float8 AS ended, e.duration AS "durationMs", e.decision, e.outcome, e.reason, e.ground`

/** A call with its end, which is written on the same day or later. The planner must be told that limits of `c.position` hold for `e.begun`. */
export const callsAndEnds = 'toolwire.calls c LEFT JOIN toolwire.call_ends e ON e.begun = c.position AND e.day >= c.day'

/** The columns have the names of the members, and hold only values that the log has written. */
export const callIn = (row: CallRow): AuditCall => withoutNulls(row) as AuditCall

/** An entry of a stream. Its text has its place in the stream; `sequence` is its position among those of all streams. */
export type StreamEntry = AuditEntry & { readonly stream: string }

const entryColumns = `a.stream, a.position::float8 AS sequence, encode(a.hash, 'hex') AS hash, a.text`

export async function entryAt(sql: Sql, position: number): Promise<StreamEntry | undefined> {
  const [found] = await sql<StreamEntry>(
    `SELECT ${entryColumns} FROM (
       SELECT day, stream, sequence FROM toolwire.calls WHERE position = $1
       UNION ALL SELECT day, stream, sequence FROM toolwire.call_ends WHERE position = $1
     ) AS r JOIN toolwire.audit a USING (day, stream, sequence)`,
    [position],
  )
  return found
}

export async function callOf(sql: Sql, id: string): Promise<AuditCall | undefined> {
  const [row] = await sql<CallRow>(
    `SELECT ${callColumns} FROM ${callsAndEnds} WHERE c.call = $1 ORDER BY c.position DESC, e.position LIMIT 1`,
    [searchText(id)],
  )
  return row && callIn(row)
}

export const callsAfter = async (sql: Sql, position: number, most: number): Promise<AuditCall[]> =>
  (
    await sql<CallRow>(
      `SELECT ${callColumns} FROM ${callsAndEnds} AND e.begun > $1 WHERE c.position > $1 ORDER BY c.position LIMIT $2`,
      [position, most],
    )
  ).map(callIn)

/** The last position, and the first position of calls since about this time. */
export async function callSpan(sql: Sql, from: number): Promise<{ readonly first: number | null; readonly last: number | null }> {
  const [span] = await sql<{ first: number | null; last: number | null }>(
    // The index of times is read, and not that of positions from the beginning: hence the expression.
    `SELECT (SELECT min(position + 0) FROM toolwire.calls WHERE at >= $1)::float8 AS first,
       (SELECT max(position) FROM toolwire.calls)::float8 AS last`,
    [Math.trunc(from)],
  )
  return span ?? { first: null, last: null }
}

export type SequencedEntry = StreamEntry & { readonly place: number }

/** The entries of a stream after this place. */
export const entriesAfter = (sql: Sql, stream: string, place: number, most: number): Promise<readonly SequencedEntry[]> =>
  sql<SequencedEntry>(
    `SELECT ${entryColumns}, a.sequence::float8 AS place FROM toolwire.audit a
     WHERE a.stream = $1 AND a.sequence > $2 ORDER BY a.sequence LIMIT $3`,
    [stream, place, most],
  )

/** The entries of a stream after this place, numbered by their places. */
export const recordsAfter = async (sql: Sql, stream: string, after: number, most: number): Promise<readonly AuditEntry[]> =>
  (await entriesAfter(sql, stream, after, most)).map(({ place, hash, text }) => ({ sequence: place, hash, text }))

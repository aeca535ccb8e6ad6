import type { AuditHead } from 'toolwire/guard'
import { isObject } from '../../../json/is-object.js'
import { jsonIn } from '../../../json/json-in.js'
import type { Sql } from '../connection.js'
import { streamsIn } from './verify-streams.js'

/** The dropped part of a stream: everything up to this record. */
export type DroppedStream = AuditHead & {
  readonly stream: string
  readonly first: number
  /** Time of the last dropped record, by the clock of its replica. */
  readonly at: number
  /** The first record after the dropped ones. */
  readonly next: number | null
}

/** The streams in the tables of these days. */
export async function droppedStreams(sql: Sql, names: readonly string[]): Promise<readonly DroppedStream[]> {
  const streams = new Map<string, DroppedStream>()
  for (const name of names)
    for (const stream of await streamsIn(sql, name)) {
      const known = streams.get(stream)
      const found = await endsIn(sql, name, stream)
      const last = known && known.sequence > found.sequence ? known : found
      streams.set(stream, { ...last, stream, first: Math.min(found.first, known?.first ?? found.first) })
    }
  return [...streams.values()]
}

async function endsIn(sql: Sql, name: string, stream: string): Promise<DroppedStream> {
  const [found] = await sql<Omit<DroppedStream, 'at'> & { text: string }>(
    `SELECT a.sequence::float8 AS sequence, encode(a.hash, 'hex') AS hash, a.text,
       (SELECT min(f.sequence) FROM toolwire.${name} f WHERE f.stream = $1)::float8 AS first,
       (SELECT min(n.sequence) FROM toolwire.audit n WHERE n.stream = $1 AND n.day > a.day)::float8 AS next
     FROM toolwire.${name} a WHERE a.stream = $1 ORDER BY a.sequence DESC LIMIT 1`,
    [stream],
  )
  const { text, ...end } = found! // the stream was found in the table
  // Not read in the database, which refuses all JSON with an escaped NUL.
  return { ...end, at: timeIn(text) }
}

function timeIn(text: string): number {
  const record = jsonIn(text)
  return isObject(record) && typeof record.at === 'number' ? record.at : 0
}

/** Ends of streams that no replica has written to or kept alive since before this day. */
export const endedBefore = (sql: Sql, day: string) =>
  sql<{ stream: string; sequence: number }>(
    `SELECT stream, sequence::float8 AS sequence FROM toolwire.audit_streams
     WHERE day < $1::date AND at < clock_timestamp() - interval '2 days' FOR UPDATE`,
    [day],
  )

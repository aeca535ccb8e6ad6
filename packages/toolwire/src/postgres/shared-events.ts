import { BoundedMap } from '../bounds/bounded-map.js'
import { reportFault } from '../server/report-fault.js'
import { Refusal } from '../tools/refusal.js'
import type { EventStore, StoredEvent } from '../transports/http/server/sessions/event-store.js'
import { forgetRows, hashOf, type RunSql, startTime, storable } from './database.js'

const mostBytes = { session: 2 * 1024 * 1024, all: 256 * 1024 * 1024 }
/** Bytes of a session that a replica stores before it removes the oldest, and the sessions for which it counts them. */
const trimBytes = mostBytes.session / 4
const mostCounted = 10_000

/** Bytes of the events after the next one. The newest is always kept, whatever its size, with the one before it, which a client has. */
const newer = (order: string) =>
  `coalesce(sum(octet_length(data) + 100) OVER (${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING), 0)`
const newestFirst = 'ORDER BY at DESC, session, stream, seq DESC'

const append = `
INSERT INTO toolwire.shared_events (session, stream, seq, data, ended, caller)
VALUES ($1, $2, $3::bigint, $4, $5::boolean, ${hashOf('$6')})
ON CONFLICT DO NOTHING
`

/** Begins at the event that the client has, which shows that nothing is missing before. Events may become visible in any order. */
const from = `
SELECT seq::float8 AS seq, data, ended, at < clock_timestamp() - interval '5 seconds' AS settled FROM (
  SELECT seq, data, ended, at, ${newer('ORDER BY seq DESC')} AS newer
  FROM toolwire.shared_events WHERE session = $1 AND stream = $2 AND seq >= $3::bigint
) AS event WHERE newer <= ${mostBytes.session} ORDER BY seq
`

const forget = 'DELETE FROM toolwire.shared_events WHERE session = $1'

const trim = `
DELETE FROM toolwire.shared_events WHERE session = $1 AND (stream, seq) IN (
  SELECT stream, seq FROM (
    SELECT stream, seq, ${newer(newestFirst)} AS newer FROM toolwire.shared_events WHERE session = $1
  ) AS event WHERE newer > ${mostBytes.session}
)`

/**
 * Removes events after an hour, and the oldest ones beyond a size limit, because clients come back for the latest. In total, they are those
 * of the callers who have the most: an event comes the later, the more its caller has that is newer.
 */
export const forgetEvents = forgetRows(
  'shared_events',
  'session, stream, seq',
  `(session, stream, seq) IN (
    SELECT session, stream, seq FROM (
      SELECT session, stream, seq, at, of_session, ${newer('ORDER BY of_caller, at DESC, session, stream, seq DESC')} AS of_all
      FROM (
        SELECT session, stream, seq, at, data, ${newer(`PARTITION BY session ${newestFirst}`)} AS of_session,
          ${newer(`PARTITION BY caller ${newestFirst}`)} AS of_caller
        FROM toolwire.shared_events
      ) AS of_callers
    ) AS event WHERE at < ${startTime} - interval '1 hour' OR of_session > ${mostBytes.session} OR of_all > ${mostBytes.all}
  )`,
)

type EventRow = { readonly seq: number; readonly data: string; readonly ended: boolean; readonly settled: boolean }

/** Events of all replicas. An event that could not be stored is still sent; a client that resumes after it finds it gone. */
export function sharedEvents(sql: RunSql): EventStore {
  let isAway = false
  const stored = new BoundedMap<string, number>(mostCounted)

  /** Removes the oldest events of a session now and then, because that reads all of them. */
  async function makeRoom(session: string, bytes: number): Promise<void> {
    const sum = (stored.get(session) ?? 0) + bytes
    stored.set(session, sum > trimBytes ? 0 : sum)
    if (sum > trimBytes) await sql(trim, [session])
  }

  return {
    shared: true,
    async append(session, stream, { seq, data, end = false }, caller = '') {
      try {
        await sql(append, [session, stream, seq, data, end, storable(caller)])
        await makeRoom(session, data.length + 100)
        isAway = false
      } catch (thrown) {
        if (!isAway) reportFault('keeping events for clients that come back', thrown)
        isAway = true
      }
    },
    async after(session, stream, seq) {
      const rows = await sql<EventRow>(from, [session, stream, seq]).catch(refuseBusy)
      const first = seq === 0 ? 1 : seq
      const gap = rows.findIndex((row, at) => Number(row.seq) !== first + at)
      if (rows.length === 0 || gap === 0 || rows[gap]?.settled) return undefined
      const kept = rows.slice(0, gap < 0 ? rows.length : gap)
      return kept.map(eventIn).filter((event) => event.seq > seq)
    },
    async forget(session) {
      stored.delete(session)
      await sql(forget, [session])
    },
  }
}

const eventIn = ({ seq, data, ended }: EventRow): StoredEvent => ({ seq: Number(seq), data, ...(ended && { end: true }) })

/** A refusal with a retry time, because the client will try again. */
function refuseBusy(cause: unknown): never {
  throw new Refusal('busy', 'Events cannot be looked up now; try again in 1 s', { cause, retryAfterMs: 1_000 })
}

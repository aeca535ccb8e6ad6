import { reportFault } from '../server/report-fault.js'
import { Refusal } from '../tools/refusal.js'
import type { EventStore, StoredEvent } from '../transports/http/server/sessions/event-store.js'
import { cleanupLock, type RunSql } from './database.js'

const append = `
INSERT INTO toolwire.shared_events (session, stream, seq, data, ended) VALUES ($1, $2, $3::bigint, $4, $5::boolean)
ON CONFLICT DO NOTHING
`

/** Begins at the event that the client has, which shows that nothing is missing before. Events may become visible in any order. */
const from = `
SELECT seq::float8 AS seq, data, ended, at < clock_timestamp() - interval '5 seconds' AS settled FROM toolwire.shared_events WHERE session = $1 AND stream = $2 AND seq >= $3::bigint
ORDER BY seq
`

const forget = 'DELETE FROM toolwire.shared_events WHERE session = $1'

const mostBytes = { session: 2 * 1024 * 1024, all: 256 * 1024 * 1024 }

/** Removes events after an hour, and the oldest ones beyond a size limit, because clients come back for the latest. */
export const forgetEvents = `
DELETE FROM toolwire.shared_events AS event USING (
  SELECT session, stream, seq, at,
    sum(octet_length(data) + 100) OVER (PARTITION BY session ORDER BY at DESC, stream, seq DESC) AS of_session,
    sum(octet_length(data) + 100) OVER (ORDER BY at DESC, session, stream, seq DESC) AS of_all
  FROM toolwire.shared_events
) AS old
WHERE ${cleanupLock} AND event.session = old.session AND event.stream = old.stream AND event.seq = old.seq
  AND (old.at < clock_timestamp() - interval '1 hour' OR of_session > ${mostBytes.session} OR of_all > ${mostBytes.all})
`

type EventRow = { readonly seq: number; readonly data: string; readonly ended: boolean; readonly settled: boolean }

/** Events of all replicas. An event that could not be stored is still sent; a client that resumes after it finds it gone. */
export function sharedEvents(sql: RunSql): EventStore {
  let isAway = false
  return {
    shared: true,
    async append(session, stream, { seq, data, end = false }) {
      try {
        await sql(append, [session, stream, seq, data, end])
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
      await sql(forget, [session])
    },
  }
}

const eventIn = ({ seq, data, ended }: EventRow): StoredEvent => ({ seq: Number(seq), data, ...(ended && { end: true }) })

/** A refusal with a retry time, because the client will try again. */
function refuseBusy(cause: unknown): never {
  throw new Refusal('busy', 'Events cannot be looked up now; try again in 1 s', { cause, retryAfterMs: 1_000 })
}

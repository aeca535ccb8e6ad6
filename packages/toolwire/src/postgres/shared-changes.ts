import { repeatWhile } from '../bounds/repeat-while.js'
import type { SharedChange, SharedChanges } from '../server/lists/shared-changes.js'
import { reportFault } from '../server/report-fault.js'
import { forgetRows, type RunSql, startTime } from './database.js'

const lookEveryMs = 500
/** Longer than the time from the beginning of a statement until others see its rows. */
const overlap = "interval '10 seconds'"

/** A number, because the text of a time depends on settings of the database, and may be read as another time. */
const now = 'extract(epoch FROM clock_timestamp())::text'

const publish = 'INSERT INTO toolwire.shared_changes (origin, change) VALUES ($1, $2)'

/** Reads some changes again, because earlier ones may become visible later. */
const look = `
SELECT ${now} AS now, (
  SELECT coalesce(json_agg(json_build_object('id', id::text, 'change', change) ORDER BY id), '[]')::text
  FROM toolwire.shared_changes WHERE at > to_timestamp($1::float8) - ${overlap} AND origin <> $2
) AS changes
`
const begin = `SELECT ${now} AS now FROM (SELECT count(*) FROM toolwire.shared_changes WHERE false) AS there`

export const forgetChanges = forgetRows('shared_changes', 'id', `at < ${startTime} - interval '10 minutes'`)

type Listener = { readonly to: string; tell(change: SharedChange): void; since: string | undefined; seen: Set<string> }

/** Changes in a small table, which every replica with listeners reads twice a second. */
export function sharedChanges(sql: RunSql): SharedChanges {
  const listeners = new Set<Listener>()

  async function lookFor(listener: Listener): Promise<void> {
    if (listener.since === undefined) {
      listener.since = (await sql<{ now: string }>(begin, []))[0]?.now
      // Earlier changes are not reported to a new listener.
      listener.seen = new Set((await read(listener)).map(({ id }) => id))
      return
    }
    const changes = await read(listener)
    const before = listener.seen
    listener.seen = new Set(changes.map(({ id }) => id))
    for (const { id, change } of changes) if (!before.has(id) && listeners.has(listener)) listener.tell(JSON.parse(change))
  }

  async function read(listener: Listener): Promise<readonly { id: string; change: string }[]> {
    const [row] = await sql<{ now: string; changes: string }>(look, [listener.since, listener.to])
    if (!row) return []
    listener.since = row.now
    return JSON.parse(row.changes)
  }

  const follow = repeatWhile(
    () => listeners.size > 0,
    async () => void (await Promise.all([...listeners].map(lookFor))),
    { everyMs: lookEveryMs, onFault: (why) => reportFault('looking for changes of other replicas', why) },
  )

  return {
    publish(from, change) {
      sql(publish, [from, JSON.stringify(change)]).catch((why: unknown) => reportFault('telling other replicas of a change', why))
    },
    listen(to, tell) {
      const listener: Listener = { to, tell, since: undefined, seen: new Set() }
      listeners.add(listener)
      follow()
      return () => void listeners.delete(listener)
    },
  }
}

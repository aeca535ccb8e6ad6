import { isLogLevel } from '../tools/context.js'
import type { SessionStore, SharedSession } from '../transports/http/server/sessions/session-store.js'
import { forgetRows, type RunSql, startTime } from './database.js'

type SessionRow = {
  readonly ended: boolean
  readonly log_level: string | null
  readonly watched: string
  readonly version: number
}

const columns = 'ended, log_level, array_to_json(watched)::text AS watched, version::float8 AS version'

const read = `SELECT ${columns} FROM toolwire.shared_sessions WHERE id = $1`

const news = `
SELECT id, ${columns} FROM toolwire.shared_sessions
JOIN json_to_recordset($1::json) AS known(id text, seen bigint) USING (id) WHERE version > seen
`

/** A day longer than the tokens are valid, because the clocks of replicas may differ. */
const keepUntil = (forMs: string) => `clock_timestamp() + ${forMs}::float8 * interval '1 millisecond' + interval '1 day'`

const change = `
INSERT INTO toolwire.shared_sessions AS kept (id, keep_until, log_level, watched)
VALUES ($1, ${keepUntil('$2')}, $3, CASE WHEN $4::text IS NULL THEN '{}' ELSE ARRAY[$4::text] END)
ON CONFLICT (id) DO UPDATE SET
  log_level = coalesce(excluded.log_level, kept.log_level),
  watched = array_remove(kept.watched, coalesce($4::text, $5::text)) || excluded.watched,
  version = kept.version + 1
RETURNING ${columns}
`

const end = `
INSERT INTO toolwire.shared_sessions AS kept (id, keep_until, ended) VALUES ($1, ${keepUntil('$2')}, true)
ON CONFLICT (id) DO UPDATE SET ended = true, version = kept.version + 1
`

export const forgetSessions = forgetRows('shared_sessions', 'id', `keep_until < ${startTime}`)

export const sharedSessions = (sql: RunSql): SessionStore => ({
  async read(id) {
    const [row] = await sql<SessionRow>(read, [id])
    return row && sessionIn(row)
  },
  async news(known) {
    const seen = known.map(({ id, version }) => ({ id, seen: version }))
    const rows = await sql<SessionRow & { readonly id: string }>(news, [JSON.stringify(seen)])
    return rows.map((row) => ({ id: row.id, ...sessionIn(row) }))
  },
  async change(id, changed, forMs) {
    const level = 'logLevel' in changed ? changed.logLevel : null
    const watch = 'watch' in changed ? JSON.stringify(changed.watch) : null
    const unwatch = 'unwatch' in changed ? JSON.stringify(changed.unwatch) : null
    const [row] = await sql<SessionRow>(change, [id, forMs, level, watch, unwatch])
    if (!row) throw new Error('PostgreSQL did not store the state of a session')
    return sessionIn(row)
  },
  async end(id, forMs) {
    await sql(end, [id, forMs])
  },
})

/** Each URI is stored as JSON, which holds no NUL. */
function sessionIn({ ended, log_level, watched, version }: SessionRow): SharedSession {
  const uris = (JSON.parse(watched) as string[]).map((uri) => JSON.parse(uri) as string)
  return { ended, logLevel: isLogLevel(log_level) ? log_level : undefined, watched: uris, version: Number(version) }
}

import { microsecondsOf } from '../policy/rate-limit/gcra.js'
import type { LimitStore } from '../policy/rate-limit/store.js'
import { hashOf, type RunSql, storable } from './database.js'

/**
 * Takes one call from the allowance $1, from which one call grows back every $2 microseconds and which is whole after $3. What is
 * known to be used up is only read. A moment too far ahead is from before the server's clock was set back, or the limit was made
 * smaller: it counts as none left.
 */
const take = `
WITH clock AS MATERIALIZED (
  SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now
), known AS MATERIALIZED (
  SELECT greatest(least(whole_at, now + $3::bigint), now) + $2::bigint - now - $3::bigint AS wait
  FROM toolwire.shared_limits, clock WHERE key = ${hashOf('$1')}
), taken AS (
  INSERT INTO toolwire.shared_limits AS kept (key, whole_at)
  SELECT ${hashOf('$1')}, now + $2::bigint FROM clock
  WHERE $2::bigint <= $3::bigint AND NOT EXISTS (SELECT FROM known WHERE wait > 0)
  ON CONFLICT (key) DO UPDATE SET whole_at = greatest(kept.whole_at + $2::bigint, excluded.whole_at)
  -- The new row's moment is now and one call.
  WHERE kept.whole_at + 2 * $2::bigint <= excluded.whole_at + $3::bigint
  RETURNING 1
)
SELECT (CASE
  WHEN EXISTS (SELECT FROM taken) THEN 0
  ELSE coalesce((SELECT wait FROM known WHERE wait > 0), $2::bigint)
END)::float8 AS wait
`

export const forgetLimits = `
DELETE FROM toolwire.shared_limits WHERE key IN (
  SELECT key FROM toolwire.shared_limits
  WHERE whole_at < (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
  LIMIT 10000 FOR UPDATE SKIP LOCKED
)`

/** Allowances by the clock of the database; one statement takes a call. */
export const sharedLimits = (sql: RunSql): LimitStore => ({
  async take(key, limit) {
    const [row] = await sql<{ wait: number }>(take, [storable(key), ...microsecondsOf(limit)])
    return Number(row?.wait ?? Number.NaN) / 1_000
  },
})

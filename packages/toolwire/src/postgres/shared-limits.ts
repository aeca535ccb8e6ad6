import { afterEvents } from '../bounds/yield-when-busy.js'
import { microsecondsOf } from '../policy/rate-limit/gcra.js'
import type { LimitStore } from '../policy/rate-limit/store.js'
import type { Limit } from '../tools/tool.js'
import { forgetRows, type RunSql, storable } from './database.js'
import { inBatches } from './in-batches.js'

const take = 'SELECT granted::float8, wait::float8 FROM toolwire.shared_take($1, $2, $3, $4)'

export const forgetLimits = forgetRows(
  'shared_limits',
  'key',
  'whole_at < (extract(epoch FROM clock_timestamp()) * 1000000)::bigint',
)

type Asked = { readonly key: string; readonly limit: Limit }

/** Calls that take from the same allowance in one statement. */
type Taking = Asked & { readonly places: number[] }

/** Allowances by the clock of the database. */
export function sharedLimits(sql: RunSql): LimitStore {
  const ask = inBatches<Asked, number>((asked) => takeTogether(sql, asked), afterEvents)
  return { take: (key, limit) => ask({ key, limit }) }
}

async function takeTogether(sql: RunSql, asked: readonly Asked[]): Promise<readonly number[]> {
  // Rows are locked in this order, so replicas never wait for one another in a circle.
  const takings = takingsOf(asked).sort((one, other) => (one.key < other.key ? -1 : 1))
  const lengths = takings.map(({ limit }) => microsecondsOf(limit))
  const values = [
    takings.map(({ key }) => storable(key)),
    lengths.map(([each]) => each),
    lengths.map(([, room]) => room),
    takings.map(({ places }) => places.length),
  ]
  const rows = await sql<{ granted: number; wait: number }>(take, values)
  const waits: number[] = []
  for (const [index, { places }] of takings.entries()) {
    const { granted, wait } = rows[index] ?? { granted: 0, wait: Number.NaN }
    const waitMs = wait > 0 ? wait / 1_000 : Number.NaN
    for (const [at, place] of places.entries()) waits[place] = at < granted ? 0 : waitMs
  }
  return waits
}

function takingsOf(asked: readonly Asked[]): Taking[] {
  const takings = new Map<string, Taking>()
  for (const [place, { key, limit }] of asked.entries()) {
    const { calls, per, burst } = limit
    const allowance = JSON.stringify([key, calls, per, burst])
    const taking = takings.get(allowance) ?? { key, limit, places: [] }
    takings.set(allowance, taking)
    taking.places.push(place)
  }
  return [...takings.values()]
}

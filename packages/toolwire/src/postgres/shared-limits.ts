import { microsecondsOf } from '../policy/rate-limit/gcra.js'
import type { LimitStore } from '../policy/rate-limit/store.js'
import type { Limit } from '../tools/tool.js'
import { forgetRows, type RunSql, storable } from './database.js'

const take = 'SELECT granted::float8, wait::float8 FROM toolwire.shared_take($1, $2, $3, $4)'

export const forgetLimits = forgetRows(
  'shared_limits',
  'key',
  'whole_at < (extract(epoch FROM clock_timestamp()) * 1000000)::bigint',
)

/** Calls that take from the same allowance in one statement. */
type Taking = {
  readonly key: string
  readonly limit: Limit
  readonly waiting: { readonly give: (waitMs: number) => void; readonly fail: (why: unknown) => void }[]
}

/** Allowances by the clock of the database. One statement runs at a time, and the next one takes for all calls that wait. */
export function sharedLimits(sql: RunSql): LimitStore {
  let asked = new Map<string, Taking>()
  let isTaking = false

  async function takeAll(): Promise<void> {
    isTaking = true
    while (asked.size > 0) {
      // Rows are locked in this order, so replicas never wait for one another in a circle.
      const takings = [...asked.values()].sort((one, other) => (one.key < other.key ? -1 : 1))
      asked = new Map()
      await takeTogether(sql, takings)
    }
    isTaking = false
  }

  return {
    take(key, limit) {
      return new Promise((give, fail) => {
        const { calls, per, burst } = limit
        const allowance = JSON.stringify([key, calls, per, burst])
        const taking = asked.get(allowance) ?? { key, limit, waiting: [] }
        asked.set(allowance, taking)
        taking.waiting.push({ give, fail })
        if (!isTaking) void takeAll()
      })
    },
  }
}

async function takeTogether(sql: RunSql, takings: readonly Taking[]): Promise<void> {
  const lengths = takings.map(({ limit }) => microsecondsOf(limit))
  const values = [
    takings.map(({ key }) => storable(key)),
    lengths.map(([each]) => each),
    lengths.map(([, room]) => room),
    takings.map(({ waiting }) => waiting.length),
  ]
  try {
    const rows = await sql<{ granted: number; wait: number }>(take, values)
    for (const [index, { waiting }] of takings.entries()) {
      const { granted, wait } = rows[index] ?? { granted: 0, wait: Number.NaN }
      const waitMs = wait > 0 ? wait / 1_000 : Number.NaN
      for (const [place, { give }] of waiting.entries()) give(place < granted ? 0 : waitMs)
    }
  } catch (thrown) {
    for (const { waiting } of takings) for (const { fail } of waiting) fail(thrown)
  }
}

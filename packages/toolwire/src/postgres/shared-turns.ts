import { repeatWhile } from '../bounds/repeat-while.js'
import type { SharedTurns } from '../policy/concurrency/shared-turns.js'
import { reportFault } from '../server/report-fault.js'
import { forgetRows, type RunSql, startTime, storable } from './database.js'

const leaseMs = 10_000
const renewEveryMs = 3_000

/** A function, because it has to count after it gets the lock, and each of its statements sees the rows of that moment. */
const enter = 'SELECT toolwire.shared_enter($1::json, $2) AS entered'

const leave = 'DELETE FROM toolwire.shared_turns WHERE turn = $1'

const renew = `
UPDATE toolwire.shared_turns SET until = clock_timestamp() + interval '${leaseMs} milliseconds'
WHERE turn IN (SELECT json_array_elements_text($1::json))
`

export const forgetTurns = forgetRows('shared_turns', 'key, turn', `until < ${startTime}`)

/** A counting lease: a place is free again ten seconds after the end of the replica that had it. */
export function sharedTurns(sql: RunSql): SharedTurns {
  const taken = new Set<string>()
  const onFault = (why: unknown) => void reportFault('places that are counted in PostgreSQL', why)
  const follow = repeatWhile(
    () => taken.size > 0,
    async () => void (await sql(renew, [JSON.stringify([...taken])])),
    { everyMs: renewEveryMs, urgentMs: leaseMs - renewEveryMs, onFault },
  )
  return {
    async enter(places) {
      const turn = crypto.randomUUID()
      const counted = places.map(({ key, most }) => ({ key: storable(key), most }))
      const [row] = await sql<{ entered: boolean }>(enter, [JSON.stringify(counted), turn])
      if (!row?.entered) return undefined
      taken.add(turn)
      follow()
      return () => {
        if (taken.delete(turn)) sql(leave, [turn]).catch(onFault)
      }
    },
  }
}

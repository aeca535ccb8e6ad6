import type { JobArguments, JobResult, SharedRead, SharedWrite } from '../store-client.js'
import { approvalQueueReads } from './approvals/approval-queue-reads.js'
import { approvalReads } from './approvals/approval-reads.js'
import { approvalTransitions, type Runner } from './approvals/approval-transitions.js'
import type { ChangeFeed } from './change-feed.js'
import { keptValues } from './kept-values.js'
import { sealedValues } from './sealed-values.js'

type SharedJobs = { readonly [Name in SharedRead | SharedWrite]: (...args: JobArguments<Name>) => JobResult<Name> }

/** All jobs in PostgreSQL except those of the audit log. `replica` is this gateway. */
export function postgresJobs(
  runner: Runner,
  { feed, replica }: { readonly feed: ChangeFeed; readonly replica: string },
): SharedJobs {
  const { sql } = runner
  const kept = keptValues(sql)
  const inTurn = turnsByKey()
  return {
    ...approvalTransitions(runner, replica),
    ...approvalReads(sql),
    ...approvalQueueReads(sql, replica),
    ...sealedValues(sql),
    // Arguments were always sealed here.
    resealApproval: async () => undefined,
    unsealedApprovals: async () => [],
    keep: (room, key, value) => inTurn(room, key, async () => feed.note(await kept.put(room, key, value))),
    drop: (room, key) => inTurn(room, key, async () => feed.note(await kept.drop(room, key))),
    all: feed.load,
    probe: async () => void (await sql('SELECT 1')),
  }
}

/** Sends changes of one key to the database in the order in which they were made, although there are many connections. */
function turnsByKey() {
  const last = new Map<string, Promise<void>>()
  return (room: string, key: string, work: () => Promise<void>): Promise<void> => {
    const name = JSON.stringify([room, key])
    const before = last.get(name)
    const mine = before ? before.then(work, work) : work()
    last.set(name, mine)
    const end = () => void (last.get(name) === mine && last.delete(name))
    mine.then(end, end)
    return mine
  }
}

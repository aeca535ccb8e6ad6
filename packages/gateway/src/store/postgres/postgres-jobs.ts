import type { JobArguments, JobResult, SharedRead, SharedWrite } from '../store-client.js'
import { approvalQueueReads } from './approvals/approval-queue-reads.js'
import { approvalReads } from './approvals/approval-reads.js'
import { approvalTransitions, type Runner } from './approvals/approval-transitions.js'
import type { ChangeFeed } from './change-feed.js'
import { keptValues } from './kept-values.js'
import { sealedValues } from './sealed-values.js'

type SharedJobs = { readonly [Name in SharedRead | SharedWrite]: (...args: JobArguments<Name>) => JobResult<Name> }

/** All that is asked of PostgreSQL but the audit log. `replica` is this gateway. */
export function postgresJobs(
  runner: Runner,
  { feed, replica }: { readonly feed: ChangeFeed; readonly replica: string },
): SharedJobs {
  const { sql } = runner
  const transitions = approvalTransitions(runner, replica)
  const reads = approvalReads(sql)
  const queue = approvalQueueReads(sql, replica)
  const kept = keptValues(sql)
  const sealed = sealedValues(sql)
  const inTurn = turnsByKey()
  return {
    addApproval: transitions.add,
    expireApprovals: transitions.expire,
    // Arguments were always sealed here.
    resealApproval: async () => undefined,
    unsealedApprovals: async () => [],
    decide: transitions.decide,
    denyAll: queue.denyAll,
    release: transitions.release,
    leaveApproval: transitions.leave,
    withdraw: transitions.withdraw,
    keep: (room, key, value) => inTurn(room, key, async () => feed.note(await kept.put(room, key, value))),
    drop: (room, key) => inTurn(room, key, async () => feed.note(await kept.drop(room, key))),
    seal: sealed.put,
    unseal: sealed.drop,
    unsealAll: sealed.dropAll,
    probe: async () => void (await sql('SELECT 1')),
    anySealedApproval: reads.anySealed,
    pending: reads.pending,
    queue: queue.queue,
    waiting: queue.waiting,
    matching: reads.matching,
    standing: reads.standing,
    history: reads.history,
    all: feed.load,
    sealed: sealed.get,
    sealedNames: sealed.names,
    holders: sealed.holders,
  }
}

/** Changes of one key go to the database in the order in which they were made, though there are many connections. */
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

import { withoutUndefined } from '../../json/without-undefined.js'
import type { JobArguments, JobResult, SharedRead, SharedWrite, StoreClient } from '../store-client.js'
import { StoreFailure } from '../store-failure.js'
import type { Runner } from './approvals/approval-transitions.js'
import { boundedTurns } from './bounded-turns.js'
import { changeFeed } from './change-feed.js'
import { changeHints } from './change-hints.js'
import type { Postgres } from './connection.js'
import { isConnectionLost, postgresFailure } from './failures.js'
import { keptValues } from './kept-values.js'
import { postgresJobs } from './postgres-jobs.js'
import { databasePulse } from './pulse.js'
import { type Announced, type Replica, replicaRows } from './replicas.js'
import { nulSafe } from './text-cells.js'
import { withTimeLimit } from './time-limit.js'

/** Callers are told within five seconds. */
const jobMs = 4_500
const lookEveryMs = 500
/** The audit log needs connections as well. */
const mostAtOnce = 7
const forgetEveryMs = 3_600_000

type Parts = {
  readonly postgres: Postgres
  /** Connections of its own, so that no flood of calls is taken for a database that does not answer. */
  readonly control: Postgres
  readonly replica: Pick<Replica, 'id' | 'name' | 'version'>
  /** Hears on a connection of its own of what other gateways decide. */
  readonly listen: Parameters<typeof changeHints>[0]
  readonly onNote: (words: string) => void
  /** Milliseconds since 1970. */
  readonly wall: () => number
}

export type PostgresClient = Awaited<ReturnType<typeof openPostgresClient>>

/** Asks PostgreSQL, hears what other gateways change there, and shows them that this one lives. */
export async function openPostgresClient({ postgres, control, replica, listen, onNote, wall }: Parts) {
  const feed = changeFeed(nulSafe(control.sql))
  const replicas = replicaRows(safe(control), replica)
  const jobs = postgresJobs(safe(postgres), { feed, replica: replica.id })
  let isClosed = false
  let announced: Announced = {}
  let newestConfig: string | undefined
  const configListeners: (() => void)[] = []
  let aheadMs = 0
  let looking: NodeJS.Timeout | undefined
  const turns = boundedTurns(mostAtOnce)
  const underWay = new Set<Promise<unknown>>()

  async function beat(): Promise<void> {
    const { isNew, nowMs, orphans, newestConfig: newest } = await replicas.beat(announced)
    aheadMs = nowMs - wall()
    const isOtherConfig = newestConfig !== (newest ?? undefined)
    newestConfig = newest ?? undefined
    if (isOtherConfig) for (const listener of configListeners) listener()
    if (orphans) await replicas.bury().catch(buryLater)
    if (isNew) await feed.reread()
  }

  /** The next heartbeat tries again. */
  function buryLater(thrown: unknown): void {
    if (isConnectionLost(thrown)) throw thrown
    onNote(`Calls that another gateway held cannot be taken over: ${postgresFailure(thrown).message}`)
  }

  const pulse = databasePulse({
    beat,
    recovered: () => feed.reread(),
    onChange: (trouble) => onNote(trouble ? trouble.message : 'PostgreSQL answers again.'),
  })

  let isLooking = false
  let isHinted = false
  async function lookForChanges(): Promise<void> {
    isLooking = true
    isHinted = false
    try {
      if (!pulse.trouble) await feed.look()
    } catch {
      // The pulse finds out what is wrong, and tells.
      void pulse.look()
    }
    isLooking = false
    if (!isClosed) looking = setTimeout(() => void lookForChanges(), isHinted ? 0 : lookEveryMs).unref()
  }
  const hints = changeHints(listen, () => {
    isHinted = true
    if (isLooking || isClosed) return
    clearTimeout(looking)
    void lookForChanges()
  })

  async function asked<T>(work: () => Promise<T>): Promise<T> {
    if (isClosed) throw new StoreFailure('The store is closed')
    if (pulse.trouble) throw pulse.trouble
    const turn = turns(work)
    const job = turn.done
    underWay.add(job)
    const end = () => void underWay.delete(job)
    job.then(end, end)
    try {
      return await withTimeLimit(jobMs, job)
    } catch (thrown) {
      turn.giveUp()
      const failure = postgresFailure(thrown)
      if (isConnectionLost(failure)) void pulse.look()
      throw failure
    }
  }

  const run = <Name extends SharedRead | SharedWrite>(job: Name, ...args: JobArguments<Name>): JobResult<Name> =>
    asked(() => jobs[job](...args)) as JobResult<Name>

  await feed.look()
  await beat()
  void pulse.look()
  void lookForChanges()
  const forgetting = setInterval(
    () =>
      void keptValues(control.sql)
        .forgetDropped()
        .catch(() => pulse.look()),
    forgetEveryMs,
  ).unref()
  return {
    run,
    write: run,
    changes: { ...feed.changes, wait: hints.wait },
    replicas: () => asked(replicas.list),
    asked,
    /** Tells the others something of this one, now and with every heartbeat. */
    async announce(about: { readonly [Name in keyof Announced]: Announced[Name] | undefined }): Promise<void> {
      announced = withoutUndefined({ ...announced, ...about })
      await asked(beat)
    },
    /** Number and hash, as of the last heartbeat. */
    get newestConfig(): string | undefined {
      return newestConfig
    },
    onNewestConfig: (listener: () => void) => void configListeners.push(listener),
    /** Why nothing can be asked; undefined when all is well. */
    get trouble(): StoreFailure | undefined {
      return pulse.trouble
    },
    /** How far the clock of the database is ahead of the one here. */
    get aheadMs(): number {
      return aheadMs
    },
    /** What was asked before is still done. The connections stay open. */
    async close(): Promise<void> {
      if (isClosed) return
      isClosed = true
      clearTimeout(looking)
      hints.end()
      clearInterval(forgetting)
      await Promise.allSettled([...underWay])
      await pulse.stop()
      // Otherwise the others find out by themselves.
      if (!pulse.trouble) await replicas.leave().catch(() => undefined)
    },
  } satisfies StoreClient & { [name: string]: unknown }
}

const safe = ({ sql, transaction }: Postgres): Runner => ({
  sql: nulSafe(sql),
  transaction: (work) => transaction((within) => work(nulSafe(within))),
})

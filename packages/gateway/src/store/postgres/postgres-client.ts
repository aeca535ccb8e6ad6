import { withDeadline } from '../../bounds/deadline.js'
import { uptimeNow } from '../../bounds/uptime-clock.js'
import { withoutUndefined } from '../../json/without-undefined.js'
import type { JobArguments, JobResult, SharedRead, SharedWrite, StoreClient } from '../store-client.js'
import { StoreFailure } from '../store-failure.js'
import type { Runner } from './approvals/approval-transitions.js'
import { boundedTurns, type Turn } from './bounded-turns.js'
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

/** Within five seconds, callers learn that a job has failed, or that it has not begun. */
const jobMs = 4_500
/** Leaves a job that waits for its turn enough time to end before its caller is refused. */
const turnMs = 2_000
const lookEveryMs = 500
/** Less than the pool, because the audit log needs connections as well. */
const mostAtOnce = 7
const forgetEveryMs = 3_600_000
/** A slower heartbeat does not show the lead of the database's clock: this process may have been frozen, or its clock was set. */
const mostBeatMs = 1_000

type Parts = {
  readonly postgres: Postgres
  /** Separate connections, so that a flood of calls is not mistaken for a database that does not answer. */
  readonly control: Postgres
  readonly replica: Pick<Replica, 'id' | 'name' | 'version'>
  /** Listens on a separate connection for decisions of other gateways. */
  readonly listen: Parameters<typeof changeHints>[0]
  readonly onNote: (words: string) => void
  /** Milliseconds since 1970. */
  readonly wall: () => number
}

export type PostgresClient = Awaited<ReturnType<typeof openPostgresClient>>

/** Runs jobs in PostgreSQL, watches for changes by other gateways, and sends heartbeats. */
export async function openPostgresClient({ postgres, control, replica, listen, onNote, wall }: Parts) {
  const feed = changeFeed(nulSafe(control.sql))
  const replicas = replicaRows(safe(control), replica)
  const jobs = postgresJobs(safe(postgres), { feed, replica: replica.id })
  let isClosed = false
  let announced: Announced = {}
  let newestConfig: string | undefined
  const configListeners: (() => void)[] = []
  let aheadMs = 0
  /** When `uptimeNow` began, by the clock of the database. */
  let uptimeBegan = wall() - uptimeNow()
  let looking: NodeJS.Timeout | undefined
  const turns = boundedTurns(mostAtOnce)
  const underWay = new Set<Promise<unknown>>()

  async function beat(): Promise<void> {
    const before = wall()
    const { isNew, nowMs, orphans, newestConfig: newest } = await replicas.beat(announced)
    const after = wall()
    if (Math.abs(after - before) < mostBeatMs) {
      aheadMs = nowMs - (before + after) / 2
      uptimeBegan = nowMs - uptimeNow()
    }
    const isOtherConfig = newestConfig !== (newest ?? undefined)
    newestConfig = newest ?? undefined
    if (isOtherConfig) for (const listener of configListeners) listener()
    if (orphans) await replicas.releaseOrphans().catch(releaseLater)
    if (isNew) pulse.recover()
  }

  /** Leaves it to the next heartbeat to try again. */
  function releaseLater(thrown: unknown): void {
    if (isConnectionLost(thrown)) throw thrown
    onNote(`Pending approvals of a gateway that has ended cannot be taken over: ${postgresFailure(thrown).message}`)
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
      // The pulse finds the cause and reports it.
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

  /** Waits for the turn of a job, which never runs after too long a wait. Returns how long it took, in steps of 100 ms for error messages. */
  async function waitForTurn({ begun, giveUp }: Turn<unknown>): Promise<number> {
    if (!begun) return 0
    const since = performance.now()
    const isLate = await withDeadline(turnMs, begun, () => true)
    if (isLate && giveUp()) throw busy()
    return 100 * Math.ceil((performance.now() - since) / 100)
  }

  async function runJob<T>(work: () => Promise<T>): Promise<T> {
    if (isClosed) throw new StoreFailure('The store is closed')
    if (pulse.trouble) throw pulse.trouble
    const turn = turns(work)
    const job = turn.done
    underWay.add(job)
    const end = () => void underWay.delete(job)
    job.then(end, end)
    try {
      return await withTimeLimit(jobMs - (await waitForTurn(turn)), job)
    } catch (thrown) {
      const failure = postgresFailure(thrown)
      if (isConnectionLost(failure)) void pulse.look()
      throw failure
    }
  }

  const run = <Name extends SharedRead | SharedWrite>(job: Name, ...args: JobArguments<Name>): JobResult<Name> =>
    runJob(() => jobs[job](...args)) as JobResult<Name>

  await feed.look()
  await beat()
  void pulse.look()
  void lookForChanges()
  const forgetting = setInterval(() => {
    feed.forgetDropped()
    void keptValues(control.sql)
      .forgetDropped()
      .catch(() => pulse.look())
  }, forgetEveryMs).unref()
  return {
    run,
    write: run,
    changes: { ...feed.changes, look: feed.look, wait: hints.wait },
    replicas: () => runJob(replicas.list),
    runJob,
    /** Announces facts about this gateway to the others, now and with every heartbeat. */
    async announce(about: { readonly [Name in keyof Announced]: Announced[Name] | undefined }): Promise<void> {
      announced = withoutUndefined({ ...announced, ...about })
      await runJob(beat)
    },
    /** Number and hash of the newest config, as of the last heartbeat. */
    get newestConfig(): string | undefined {
      return newestConfig
    },
    onNewestConfig: (listener: () => void) => void configListeners.push(listener),
    get trouble(): StoreFailure | undefined {
      return pulse.trouble
    },
    /** Lead of the database's clock over the one here, in milliseconds. */
    get aheadMs(): number {
      return aheadMs
    },
    /** Milliseconds since 1970 by the clock of the database. Setting the clock here does not change it. */
    now: (): number => uptimeBegan + uptimeNow(),
    /** Finishes earlier jobs and leaves the connections open. */
    async close(): Promise<void> {
      if (isClosed) return
      isClosed = true
      clearTimeout(looking)
      hints.end()
      clearInterval(forgetting)
      await Promise.allSettled([...underWay])
      await pulse.stop()
      // While the database is away, the other gateways notice the end by themselves.
      if (!pulse.trouble) await replicas.leave().catch(() => undefined)
    },
  } satisfies StoreClient & { [name: string]: unknown }
}

const safe = ({ sql, transaction }: Postgres): Runner => ({
  sql: nulSafe(sql),
  transaction: (work) => transaction((within) => work(nulSafe(within))),
})

const busy = () =>
  new StoreFailure(
    `PostgreSQL is busy: ${mostAtOnce} jobs of this gateway are running, and this one got no turn within ${turnMs / 1_000} s. Try again in a few seconds`,
    'POSTGRES_BUSY',
  )

import { type DatabaseConnection, inTransaction } from '../connection.js'
import { databaseJobs } from './jobs.js'
import { type JobRequest, type JobResponse, monotonicNow, serializeError } from './messages.js'

type Job = (...args: readonly unknown[]) => unknown
/** A pause, so that many calls are indexed together. */
const backgroundPauseMs = 250

/** Runs jobs in their order. Writes that arrive together share one transaction, and so wait for the disk once. */
export function jobBatches(db: DatabaseConnection, say: (answer: JobResponse) => void) {
  /** The skew of the current request, because jobs use the clock of the thread that asks. */
  let skew = 0
  const waiting: JobRequest[] = []
  /** Searches that wait for the index of calls. */
  const searching: JobRequest[] = []
  let soon: NodeJS.Immediate | undefined
  let later: NodeJS.Timeout | undefined
  const jobs = databaseJobs(db, () => monotonicNow() + skew)
  // Both threads use the same table of jobs, so the arguments fit the job.
  const named = (table: object): ReadonlyMap<string, Job> => new Map(Object.entries(table) as [string, Job][])
  const writes = named(jobs.writes)
  const searches = named(jobs.searches)
  const others = named({ ...jobs.reads, ...jobs.searches, ...jobs.long })

  function settleSoon(): void {
    soon ??= setImmediate(settle)
  }

  function settle(): void {
    clearImmediate(soon)
    soon = undefined
    while (waiting.length > 0) {
      const end = waiting.findIndex(({ job }) => !writes.has(job))
      const group = waiting.splice(0, end < 0 ? waiting.length : end)
      if (group.length > 0) write(group)
      const one = waiting.shift()
      if (one && searches.has(one.job)) searching.push(one)
      else if (one) other(one)
    }
    if (searching.length > 0) search()
  }

  /** Searches once all records are indexed. A long log is indexed in parts, so that other jobs run in between. */
  function search(): void {
    if (tryIndex()) {
      for (const asked of searching.splice(0)) other(asked)
      return
    }
    // The disk is not silent, so calls are not refused.
    for (const { id } of searching) say({ id, progress: 0 })
    settleSoon()
  }

  /** If the disk is full or broken, searches find what is indexed. Writers report the failure. */
  function tryIndex(): boolean {
    try {
      return jobs.index()
    } catch {
      return true
    }
  }

  function write(group: readonly JobRequest[]): void {
    let answers: JobResponse[] = []
    try {
      inTransaction(db, () => {
        // A single job needs no savepoint.
        answers = group.map((asked) => (group.length === 1 ? answerOf(asked) : part(asked)))
      })
    } catch (thrown) {
      // The transaction failed, so every job in it failed.
      const failed = serializeError(thrown)
      answers = group.map(({ id }) => ({ id, failed }))
    }
    for (const answer of answers) say(answer)
    doChoresLater()
  }

  /** Works in parts, so that other jobs run in between. */
  function doChoresLater(ms = backgroundPauseMs): void {
    later ??= setTimeout(() => {
      later = undefined
      if (!tryChore()) doChoresLater(0)
    }, ms).unref()
  }

  /** A failed chore is tried again after the next write. */
  function tryChore(): boolean {
    try {
      return jobs.chore()
    } catch {
      return true
    }
  }

  function answerOf({ id, job, args, skew: asked }: JobRequest): JobResponse {
    skew = asked
    return { id, value: writes.get(job)?.(...args) }
  }

  /** A failed job does not affect the others, unless SQLite has rolled back the whole transaction. */
  function part(asked: JobRequest): JobResponse {
    try {
      return inTransaction(db, () => answerOf(asked))
    } catch (thrown) {
      if (!db.inTransaction) throw thrown
      return { id: asked.id, failed: serializeError(thrown) }
    }
  }

  function other({ id, job, args, skew: asked }: JobRequest): void {
    const tell = (value: unknown) => say({ id, value })
    const fail = (thrown: unknown) => say({ id, failed: serializeError(thrown) })
    try {
      skew = asked
      const value = others.get(job)?.(...args, (progress: number) => say({ id, progress }))
      if (value instanceof Promise) value.then(tell, fail)
      else tell(value)
    } catch (thrown) {
      fail(thrown)
    }
  }

  doChoresLater()
  return {
    add(asked: JobRequest): void {
      waiting.push(asked)
      settleSoon()
    },
    /** Finishes the jobs received so far, and nothing more. Searches that need more of the index get no answer. */
    close(): void {
      settle()
      clearImmediate(soon)
      clearTimeout(later)
    },
  }
}

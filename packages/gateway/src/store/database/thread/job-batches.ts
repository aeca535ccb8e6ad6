import { type DatabaseConnection, inTransaction } from '../connection.js'
import { databaseJobs } from './jobs.js'
import { type JobRequest, type JobResponse, monotonicNow, serializeError } from './messages.js'

type Job = (...args: readonly unknown[]) => unknown
/** Many calls take one look at the indexes together. */
const backgroundPauseMs = 250

/** Does what is asked in its order. Writes that come together are one transaction: the disk is waited for once. */
export class JobBatches {
  readonly #db: DatabaseConnection
  readonly #say: (answer: JobResponse) => void
  readonly #chore: () => boolean
  readonly #writes: ReadonlyMap<string, Job>
  readonly #others: ReadonlyMap<string, Job>
  /** Of the request that is being done: jobs go by the clock of the thread that asks. */
  #skew = 0
  #waiting: JobRequest[] = []
  #scheduled = false
  #later: NodeJS.Timeout | undefined

  constructor(db: DatabaseConnection, say: (answer: JobResponse) => void) {
    this.#db = db
    this.#say = say
    const { chore, writes, reads, long } = databaseJobs(db, () => monotonicNow() + this.#skew)
    // Both threads are built from the same table, so the arguments are those that the job takes.
    const named = (table: object) => new Map(Object.entries(table) as [string, Job][])
    this.#writes = named(writes)
    this.#others = named({ ...reads, ...long })
    this.#chore = chore
    this.#doChoresLater()
  }

  add(asked: JobRequest): void {
    this.#waiting.push(asked)
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => this.#settle())
  }

  /** Does what was asked before, and nothing more. */
  close(): void {
    this.#settle()
    clearTimeout(this.#later)
  }

  #settle(): void {
    this.#scheduled = false
    while (this.#waiting.length > 0) {
      const end = this.#waiting.findIndex(({ job }) => !this.#writes.has(job))
      const writes = this.#waiting.splice(0, end < 0 ? this.#waiting.length : end)
      if (writes.length > 0) this.#write(writes)
      const other = this.#waiting.shift()
      if (other) this.#other(other)
    }
  }

  #write(group: readonly JobRequest[]): void {
    let answers: JobResponse[] = []
    try {
      inTransaction(this.#db, () => {
        // Alone in its transaction, a job needs no part of its own.
        answers = group.map((asked) => (group.length === 1 ? this.#answer(asked) : this.#part(asked)))
      })
    } catch (thrown) {
      // The transaction failed, so every job in it failed.
      const failed = serializeError(thrown)
      answers = group.map(({ id }) => ({ id, failed }))
    }
    for (const answer of answers) this.#say(answer)
    this.#doChoresLater()
  }

  /** In parts, between which others have their turn. */
  #doChoresLater(ms = backgroundPauseMs): void {
    this.#later ??= setTimeout(() => {
      this.#later = undefined
      if (!this.#tryChore()) this.#doChoresLater(0)
    }, ms).unref()
  }

  /** What cannot be done now is tried again with the next write. */
  #tryChore(): boolean {
    try {
      return this.#chore()
    } catch {
      return true
    }
  }

  #answer({ id, job, args, skew }: JobRequest): JobResponse {
    this.#skew = skew
    return { id, value: this.#writes.get(job)?.(...args) }
  }

  /** One that fails leaves the others alone, unless SQLite has given up the whole transaction. */
  #part(asked: JobRequest): JobResponse {
    try {
      return inTransaction(this.#db, () => this.#answer(asked))
    } catch (thrown) {
      if (!this.#db.inTransaction) throw thrown
      return { id: asked.id, failed: serializeError(thrown) }
    }
  }

  #other({ id, job, args, skew }: JobRequest): void {
    const tell = (value: unknown) => this.#say({ id, value })
    const fail = (thrown: unknown) => this.#say({ id, failed: serializeError(thrown) })
    try {
      this.#skew = skew
      const value = this.#others.get(job)?.(...args, (progress: number) => this.#say({ id, progress }))
      if (value instanceof Promise) value.then(tell, fail)
      else tell(value)
    } catch (thrown) {
      fail(thrown)
    }
  }
}

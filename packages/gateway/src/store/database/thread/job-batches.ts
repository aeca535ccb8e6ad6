import { type DatabaseConnection, inTransaction } from '../connection.js'
import type { Jobs } from './jobs.js'
import { type JobRequest, type JobResponse, serializeError } from './messages.js'

type Job = (...args: readonly unknown[]) => unknown
/** Many calls take one look at the indexes together. */
const backgroundPauseMs = 250

type Done = { readonly asked: JobRequest; readonly answer: JobResponse }

/** Does what is asked in its order. Writes that come together are one transaction: the disk is waited for once. */
export class JobBatches {
  readonly #db: DatabaseConnection
  readonly #jobs: { [kind in 'writes' | 'reads' | 'long']: ReadonlyMap<string, Job> }
  readonly #say: (answer: JobResponse) => void
  readonly #chore: () => boolean
  #waiting: JobRequest[] = []
  #scheduled = false
  #later: NodeJS.Timeout | undefined

  constructor(db: DatabaseConnection, jobs: Jobs, say: (answer: JobResponse) => void) {
    this.#db = db
    this.#say = say
    this.#chore = jobs.chore
    this.#doChoresLater()
    // Both threads are built from the same table, so the arguments are those that the job takes.
    const named = (table: object) => new Map(Object.entries(table) as [string, Job][])
    this.#jobs = { writes: named(jobs.writes), reads: named(jobs.reads), long: named(jobs.long) }
  }

  add(asked: JobRequest): void {
    this.#waiting.push(asked)
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => this.settle())
  }

  settle(): void {
    this.#scheduled = false
    while (this.#waiting.length > 0) {
      const end = this.#waiting.findIndex(({ job }) => !this.#jobs.writes.has(job))
      const writes = this.#waiting.splice(0, end < 0 ? this.#waiting.length : end)
      if (writes.length > 0) this.#write(writes)
      const other = this.#waiting.shift()
      if (other) this.#other(other)
    }
  }

  #write(group: readonly JobRequest[]): void {
    let done: Done[] = []
    try {
      inTransaction(this.#db, () => {
        done = group.map((asked) => ({ asked, answer: group.length === 1 ? this.#whole(asked) : this.#part(asked) }))
      })
    } catch (thrown) {
      // The transaction failed, so every job in it failed.
      const failed = serializeError(thrown)
      done = group.map((asked) => ({ asked, answer: { id: asked.id, failed } }))
    }
    for (const { answer } of done) this.#say(answer)
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

  /** Nothing more is to be done. */
  close(): void {
    clearTimeout(this.#later)
  }

  /** Alone in its transaction, it needs no part of its own. */
  #whole({ id, job, args }: JobRequest): JobResponse {
    return { id, value: this.#jobs.writes.get(job)?.(...args) }
  }

  /** One that fails leaves the others alone, unless SQLite has given up the whole transaction. */
  #part(asked: JobRequest): JobResponse {
    try {
      return { id: asked.id, value: inTransaction(this.#db, () => this.#jobs.writes.get(asked.job)?.(...asked.args)) }
    } catch (thrown) {
      if (!this.#db.inTransaction) throw thrown
      return { id: asked.id, failed: serializeError(thrown) }
    }
  }

  #other({ id, job, args }: JobRequest): void {
    const long = this.#jobs.long.get(job)
    const fail = (thrown: unknown) => this.#say({ id, failed: serializeError(thrown) })
    try {
      const value = (long ?? this.#jobs.reads.get(job))?.(...args, (progress: number) => this.#say({ id, progress }))
      if (long) Promise.resolve(value).then((done) => this.#say({ id, value: done }), fail)
      else this.#say({ id, value })
    } catch (thrown) {
      fail(thrown)
    }
  }
}

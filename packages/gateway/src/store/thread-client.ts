import { Worker } from 'node:worker_threads'
import type { Jobs } from './database/thread/jobs.js'
import {
  type JobRequest,
  type JobResponse,
  monotonicNow,
  type ThreadNotice,
  type ThreadStart,
} from './database/thread/messages.js'
import type { JobArguments, JobResult, JobTable, StoreClient } from './store-client.js'
import { StoreFailure, storeFailureFrom } from './store-failure.js'
import { storeHealth } from './store-health.js'

type PendingJob = {
  readonly resolve: (value: unknown) => void
  readonly reject: (why: Error) => void
  /** Time of the request or of its last progress. */
  heardAt: number
  readonly progress?: ((done: number) => void) | undefined
}

/** Sends jobs to the thread with the database, so that this thread never waits for the disk. */
export class ThreadClient implements StoreClient {
  readonly #worker: Worker
  readonly #waiting = new Map<number, PendingJob>()
  readonly #ended: Promise<void>
  readonly #now: () => number
  #next = 1
  #closing: Promise<void> | undefined
  readonly health = storeHealth(this)
  readonly note: string | undefined
  /** The reason why no more jobs can run. */
  broken: StoreFailure | undefined

  private constructor(worker: Worker, note: string | undefined, now: () => number) {
    this.#worker = worker
    this.note = note
    this.#now = now
    this.#ended = new Promise((resolve) => worker.once('exit', () => resolve()))
    worker.on('message', (said: JobResponse | ThreadNotice) => this.#receive(said))
    worker.on('error', (thrown) => this.#stop(`The database thread has failed: ${thrown.message}. Start the gateway again`))
    worker.once('exit', () =>
      this.#stop(this.#closing ? 'The store is closed' : 'The database thread has ended. Start the gateway again'),
    )
  }

  /** Settles when the database is open; rejects if it cannot be opened, or must not be. */
  static async open(url: URL, start: Omit<ThreadStart, 'skew'>, now: () => number = monotonicNow): Promise<ThreadClient> {
    const workerData = { ...start, skew: now() - monotonicNow() } satisfies ThreadStart
    const worker = new Worker(url, { workerData, name: 'toolwire-store' })
    const first = await new Promise<ThreadNotice>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.once('exit', () => reject(new StoreFailure('The database thread ended before it opened the database')))
    })
    if ('refused' in first) throw storeFailureFrom(first.refused)
    return new ThreadClient(worker, 'note' in first ? first.note : undefined, now)
  }

  run<Name extends keyof JobTable>(job: Name, ...args: JobArguments<Name>): JobResult<Name> {
    return this.#request(job, args)
  }

  /** Runs a job that changes something, which also shows the health of the disk. */
  write<Name extends keyof Jobs['writes']>(job: Name, ...args: JobArguments<Name>): JobResult<Name> {
    return this.health.of(this.#request(job, args))
  }

  /** Runs a long job that reports its progress. */
  watch(job: 'verify', what: JobArguments<'verify'>[0], progress?: (done: number) => void): JobResult<'verify'> {
    return this.#request(job, [what], progress)
  }

  /** The longest time since a pending job was sent or reported progress. */
  get silentMs(): number {
    const now = performance.now()
    let longest = 0
    for (const { heardAt } of this.#waiting.values()) longest = Math.max(longest, now - heardAt)
    return longest
  }

  /** Earlier jobs are still finished, except searches of a log that is not indexed yet, which are rejected. */
  close(): Promise<void> {
    if (!this.#closing && !this.broken) this.#worker.postMessage('close')
    this.#closing ??= this.#ended
    return this.#closing
  }

  #request<T>(job: string, args: readonly unknown[], progress?: (done: number) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.broken) return reject(this.broken)
      if (this.#closing) return reject(new StoreFailure('The store is closed'))
      const id = this.#next++
      // The value in an answer is the return value of the job in the other thread.
      const told = resolve as (value: unknown) => void
      this.#waiting.set(id, { resolve: told, reject, heardAt: performance.now(), progress })
      this.#worker.postMessage({ id, job, args, skew: this.#now() - monotonicNow() } satisfies JobRequest)
    })
  }

  #receive(said: JobResponse | ThreadNotice): void {
    if (!('id' in said)) return
    const waiting = this.#waiting.get(said.id)
    if ('progress' in said) {
      if (waiting) waiting.heardAt = performance.now()
      waiting?.progress?.(said.progress)
      return
    }
    this.#waiting.delete(said.id)
    if ('failed' in said) waiting?.reject(storeFailureFrom(said.failed))
    else waiting?.resolve(said.value)
  }

  #stop(why: string): void {
    this.broken ??= new StoreFailure(why)
    for (const { reject } of this.#waiting.values()) reject(this.broken)
    this.#waiting.clear()
  }
}

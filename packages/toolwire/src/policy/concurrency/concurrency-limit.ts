import { type Caller, isCrowd } from '../../tools/caller.js'
import { FairQueue, type QueueLimits } from './fair-queue.js'

type ConcurrencyLimits = QueueLimits & {
  /** In all. */
  readonly all: number
  /** For each caller whom somebody has verified, or who counts as one. */
  readonly each: number
  readonly perServer?: number
  readonly perTool?: number
}

/** What is being done: by whom, and where that matters, on which server and with which tool. */
export type ConcurrencyKey = { readonly caller: Caller; readonly server?: string | undefined; readonly tool?: string | undefined }

/** Bounds how much is done at once; a few more may wait their turn, the rest is sent away. */
export class ConcurrencyLimit {
  readonly #all: number
  readonly #each: KeyedCounts
  readonly #servers: KeyedCounts
  readonly #tools: KeyedCounts
  readonly #queue: FairQueue<ConcurrencyKey>
  #taken = 0

  constructor(limits: ConcurrencyLimits) {
    const { all, each, perServer = Number.POSITIVE_INFINITY, perTool = Number.POSITIVE_INFINITY } = limits
    this.#all = all
    this.#each = new KeyedCounts(each)
    this.#servers = new KeyedCounts(perServer)
    this.#tools = new KeyedCounts(perTool)
    this.#queue = new FairQueue(limits)
  }

  get taken(): number {
    return this.#taken
  }

  /**
   * Undefined if the call may run at once; otherwise a promise of its turn. Throws when the queue is full. Only waiting calls
   * read the signal.
   */
  enter(place: ConcurrencyKey, about: { readonly signal: AbortSignal }): undefined | Promise<void> {
    // None of those who wait fits now, or it would not be waiting.
    if (this.#hasRoom(place)) return this.#count(place, 1)
    return this.#queue.wait(place.caller.id, place, about)
  }

  leave(place: ConcurrencyKey): void {
    this.#count(place, -1)
    while (this.#queue.size > 0 && this.#taken < this.#all) {
      const next = this.#queue.next((waiting) => this.#hasRoom(waiting))
      if (!next) return
      this.#count(next.place, 1)
      next.enter()
    }
  }

  #hasRoom({ caller, server, tool }: ConcurrencyKey): boolean {
    return (
      this.#taken < this.#all &&
      (isCrowd(caller) || this.#each.hasRoom(caller.id)) &&
      this.#servers.hasRoom(server) &&
      this.#tools.hasRoom(tool)
    )
  }

  #count({ caller, server, tool }: ConcurrencyKey, by: 1 | -1): undefined {
    this.#taken += by
    if (!isCrowd(caller)) this.#each.add(caller.id, by)
    this.#servers.add(server, by)
    this.#tools.add(tool, by)
    return undefined
  }
}

/** Counts by key, each up to the same number. What has no key is not counted. */
class KeyedCounts {
  readonly #most: number
  readonly #counts = new Map<string, number>()

  constructor(most: number) {
    this.#most = most
  }

  hasRoom(key: string | undefined): boolean {
    return key === undefined || (this.#counts.get(key) ?? 0) < this.#most
  }

  add(key: string | undefined, by: 1 | -1): void {
    if (key === undefined) return
    const count = (this.#counts.get(key) ?? 0) + by
    if (count > 0) this.#counts.set(key, count)
    else this.#counts.delete(key)
  }
}

import type { CancelToken } from '../../bounds/cancel-token.js'
import { KeyedCounts } from '../../bounds/keyed-counts.js'
import { type Caller, isCrowd } from '../../tools/caller.js'
import { FairQueue, type QueueLimits } from './fair-queue.js'

type ConcurrencyLimits = QueueLimits & {
  readonly all: number
  /** Maximum for each caller that is verified, or that counts as one. */
  readonly each: number
  readonly perServer?: number
  /** Maximum for one caller at one server. */
  readonly perShare?: number
  readonly perTool?: number
}

/** The caller of a call, and its server, its share of the server and its tool if these are limited. */
export type ConcurrencyKey = {
  readonly caller: Caller
  readonly server?: string | undefined
  readonly share?: string | undefined
  readonly tool?: string | undefined
}

/** Limits how many calls run at once. A few more may wait their turn, and the rest are refused. */
export class ConcurrencyLimit {
  readonly #all: number
  readonly #each: KeyedCounts<string>
  readonly #servers: KeyedCounts<string>
  readonly #shares: KeyedCounts<string>
  readonly #tools: KeyedCounts<string>
  readonly #queue: FairQueue<ConcurrencyKey>
  #taken = 0

  constructor(limits: ConcurrencyLimits) {
    const { all, each, perServer, perShare, perTool } = limits
    this.#all = all
    this.#each = new KeyedCounts(each)
    this.#servers = new KeyedCounts(perServer)
    this.#shares = new KeyedCounts(perShare)
    this.#tools = new KeyedCounts(perTool)
    this.#queue = new FairQueue(limits)
  }

  get taken(): number {
    return this.#taken
  }

  /**
   * Undefined if the call may run at once; otherwise a promise of its turn, until the token is cancelled. Throws when the queue is full.
   */
  enter(place: ConcurrencyKey, token: CancelToken): undefined | Promise<void> {
    // No waiting call fits now, or it would not be waiting.
    if (this.#hasRoom(place)) return this.#count(place, 1)
    return this.#queue.wait(place.caller.id, place, token)
  }

  leave(place: ConcurrencyKey): void {
    this.#count(place, -1)
    while (!this.#queue.isEmpty && this.#taken < this.#all) {
      const next = this.#queue.next((waiting) => this.#hasRoom(waiting))
      if (!next) return
      this.#count(next.place, 1)
      next.enter()
    }
  }

  #hasRoom({ caller, server, share, tool }: ConcurrencyKey): boolean {
    return (
      this.#taken < this.#all &&
      (isCrowd(caller) || this.#each.hasRoom(caller.id)) &&
      (server === undefined || this.#servers.hasRoom(server)) &&
      (share === undefined || this.#shares.hasRoom(share)) &&
      (tool === undefined || this.#tools.hasRoom(tool))
    )
  }

  #count({ caller, server, share, tool }: ConcurrencyKey, by: 1 | -1): undefined {
    this.#taken += by
    if (!isCrowd(caller)) this.#each.add(caller.id, by)
    if (server !== undefined) this.#servers.add(server, by)
    if (share !== undefined) this.#shares.add(share, by)
    if (tool !== undefined) this.#tools.add(tool, by)
    return undefined
  }
}

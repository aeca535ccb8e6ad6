import type { CancelToken } from '../../bounds/cancel-token.js'
import { KeyedCounts } from '../../bounds/keyed-counts.js'
import { longestTimer } from '../../bounds/longest-timer.js'
import { Refusal } from '../../tools/refusal.js'

/** The server that a call waits for. Each server has a queue length of its own, so that a slow one leaves room for calls to others. */
type Waited = { readonly server?: string | undefined }
type Waiter<Place> = { readonly place: Place; readonly enter: () => void; readonly refuse: (why: unknown) => void }

export type QueueLimits = {
  /** Maximum number of waiting calls for each server, and for calls without one. */
  readonly queue: number
  readonly waitMs: number
}

/**
 * A bounded queue with a lane for each caller, served in turns. When a server's queue is full, the caller with the most
 * waiting calls makes room for callers with fewer.
 */
export class FairQueue<Place extends Waited> {
  readonly #limits: QueueLimits
  readonly #lanes = new Map<string, Waiter<Place>[]>()
  readonly #sizes: KeyedCounts<string | undefined>

  constructor(limits: QueueLimits) {
    this.#limits = limits
    this.#sizes = new KeyedCounts(limits.queue)
  }

  get isEmpty(): boolean {
    return this.#lanes.size === 0
  }

  /** Resolves when it is this call's turn; an aborted call leaves the queue at once. */
  wait(lane: string, place: Place, token: CancelToken): Promise<void> {
    if (token.aborted) throw token.reason
    if (!this.#sizes.hasRoom(place.server)) this.#makeRoomFor(lane, place)
    return new Promise((resolve, reject) => {
      const { waitMs } = this.#limits
      const givenUp = () => this.#giveUp(lane, waiter, token.reason)
      // An error takes its stack when it is made, which costs more than the rest of a wait.
      const tooLong = () => this.#giveUp(lane, waiter, busy(`this request waited ${waitMs} ms for its turn`))
      const timer = setTimeout(tooLong, Math.min(waitMs, longestTimer))
      const settled =
        <T>(settle: (value: T) => void) =>
        (value: T) => {
          clearTimeout(timer)
          token.removeEventListener('abort', givenUp)
          settle(value)
        }
      const waiter: Waiter<Place> = { place, enter: settled(resolve), refuse: settled(reject) }
      token.addEventListener('abort', givenUp)
      const waiting = this.#lanes.get(lane)
      if (waiting) waiting.push(waiter)
      else this.#lanes.set(lane, [waiter])
      this.#sizes.add(place.server, 1)
    })
  }

  /** Removes and returns the next call that fits: the first one in its lane that does. Its lane goes to the back. */
  next(fits: (place: Place) => boolean): Waiter<Place> | undefined {
    for (const [lane, waiting] of this.#lanes) {
      const next = waiting.find(({ place }) => fits(place))
      if (!next) continue
      this.#delete(lane, next)
      if (this.#lanes.delete(lane)) this.#lanes.set(lane, waiting)
      return next
    }
    return undefined
  }

  #delete(lane: string, waiter: Waiter<Place>): void {
    const waiting = this.#lanes.get(lane) ?? []
    waiting.splice(waiting.indexOf(waiter), 1)
    if (waiting.length === 0) this.#lanes.delete(lane)
    this.#sizes.add(waiter.place.server, -1)
  }

  #giveUp(lane: string, waiter: Waiter<Place>, why: unknown): void {
    this.#delete(lane, waiter)
    waiter.refuse(why)
  }

  #makeRoomFor(lane: string, { server }: Place): void {
    const there = [...this.#lanes].map(([name, all]) => ({ name, all: all.filter(({ place }) => place.server === server) }))
    const most = there.reduce((one, other) => (other.all.length > one.all.length ? other : one), { name: '', all: [] })
    const own = there.find(({ name }) => name === lane)?.all.length ?? 0
    const last = most.all.at(-1)
    const full = busy(`${this.#limits.queue} wait already`)
    if (!last || most.all.length <= own + 1) throw full
    this.#giveUp(most.name, last, full)
  }
}

export const busy = (why: string): Refusal =>
  new Refusal('busy', `Too many requests at once: ${why}; try again in 1 s`, { retryAfterMs: 1_000 })

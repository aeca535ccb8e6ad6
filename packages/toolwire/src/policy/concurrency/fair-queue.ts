import { Refusal } from '../../tools/refusal.js'

/** What somebody waits for. Each has a queue of its own length, so that one that is slow leaves room to wait for the others. */
type Waited = { readonly server?: string | undefined }
type Waiter<Place> = { readonly place: Place; readonly enter: () => void; readonly refuse: (why: unknown) => void }

export type QueueLimits = {
  /** How many may wait for each server, and how many for what is done here. */
  readonly queue: number
  /** Milliseconds that one may wait. */
  readonly waitMs: number
}

/**
 * A bounded queue with a lane for each caller, served in turns. When a server's queue is full, the caller with the most
 * waiting calls makes room for callers with fewer.
 */
export class FairQueue<Place extends Waited> {
  readonly #limits: QueueLimits
  readonly #lanes = new Map<string, Waiter<Place>[]>()
  readonly #sizes = new Map<string | undefined, number>()
  #size = 0

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#size
  }

  /** Resolves when it is this call's turn; an aborted call leaves the queue at once. */
  wait(lane: string, place: Place, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    signal.throwIfAborted()
    if ((this.#sizes.get(place.server) ?? 0) >= this.#limits.queue) this.#makeRoomFor(lane, place)
    return new Promise((resolve, reject) => {
      const givenUp = () => this.#giveUp(lane, waiter, signal.reason)
      const timer = setTimeout(() => this.#giveUp(lane, waiter, this.#tooLong()), this.#limits.waitMs)
      const settle = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', givenUp)
      }
      const waiter: Waiter<Place> = {
        place,
        enter: () => {
          settle()
          resolve()
        },
        refuse: (why) => {
          settle()
          reject(why)
        },
      }
      signal.addEventListener('abort', givenUp)
      this.#add(lane, waiter)
    })
  }

  /** Takes out the next one that fits: the first of its lane that does, and its lane goes to the back. */
  next(fits: (place: Place) => boolean): Waiter<Place> | undefined {
    for (const [lane, waiting] of this.#lanes) {
      const next = waiting.find(({ place }) => fits(place))
      if (!next) continue
      this.#delete(lane, next)
      this.#moveBack(lane)
      return next
    }
    return undefined
  }

  #add(lane: string, waiter: Waiter<Place>): void {
    const waiting = this.#lanes.get(lane)
    if (waiting) waiting.push(waiter)
    else this.#lanes.set(lane, [waiter])
    this.#count(waiter.place, 1)
  }

  #delete(lane: string, waiter: Waiter<Place>): void {
    const waiting = this.#lanes.get(lane) ?? []
    waiting.splice(waiting.indexOf(waiter), 1)
    if (waiting.length === 0) this.#lanes.delete(lane)
    this.#count(waiter.place, -1)
  }

  #count({ server }: Place, by: 1 | -1): void {
    this.#size += by
    const size = (this.#sizes.get(server) ?? 0) + by
    if (size > 0) this.#sizes.set(server, size)
    else this.#sizes.delete(server)
  }

  #moveBack(lane: string): void {
    const waiting = this.#lanes.get(lane)
    if (!waiting) return
    this.#lanes.delete(lane)
    this.#lanes.set(lane, waiting)
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
    if (!last || most.all.length <= own + 1) throw this.#full()
    this.#giveUp(most.name, last, this.#full())
  }

  #full(): Refusal {
    return busy(`${this.#limits.queue} wait already`)
  }

  #tooLong(): Refusal {
    return busy(`this one waited ${this.#limits.waitMs} ms for its turn`)
  }
}

const busy = (why: string): Refusal =>
  new Refusal('busy', `Too many requests at once: ${why}; try again in 1 s`, { retryAfterMs: 1_000 })

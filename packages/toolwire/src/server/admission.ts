import type { Caller } from '../tools/caller.js'
import { Refusal } from '../tools/refusal.js'

export type AdmissionLimits = { readonly inFlight: number; readonly inFlightEach: number; readonly queue: number }

/** Bounds how much is done at once, in all and for each caller; a few more may wait, the rest is sent away. */
export class Admission {
  readonly #limits: AdmissionLimits
  readonly #each = new Map<string, number>()
  readonly #queue: { caller: Caller; enter: () => void }[] = []
  #inFlight = 0

  constructor(limits: AdmissionLimits) {
    this.#limits = limits
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /** Undefined when the request may go ahead at once; else a promise for its turn. Throws when there is no room to wait. */
  enter(caller: Caller): undefined | Promise<void> {
    if (this.#queue.length === 0 && this.#hasRoom(caller)) return this.#take(caller)
    if (this.#queue.length >= this.#limits.queue)
      throw new Refusal('busy', 'Too many requests at once; try again shortly', { retryAfterMs: 1_000 })
    return new Promise((resolve) => {
      this.#queue.push({ caller, enter: resolve })
      this.#advance()
    })
  }

  leave(caller: Caller): void {
    this.#inFlight--
    if (!caller.anonymous) this.#count(caller, -1)
    if (this.#queue.length > 0) this.#advance()
  }

  /** Lets in whoever fits, first come first served; one caller's crowd does not hold up the others. */
  #advance(): void {
    while (this.#inFlight < this.#limits.inFlight) {
      const at = this.#queue.findIndex(({ caller }) => this.#hasRoom(caller))
      const next = this.#queue[at]
      if (!next) return
      this.#queue.splice(at, 1)
      this.#take(next.caller)
      next.enter()
    }
  }

  #hasRoom(caller: Caller): boolean {
    return (
      this.#inFlight < this.#limits.inFlight &&
      (caller.anonymous === true || (this.#each.get(caller.id) ?? 0) < this.#limits.inFlightEach)
    )
  }

  #take(caller: Caller): undefined {
    this.#inFlight++
    if (!caller.anonymous) this.#count(caller, 1)
    return undefined
  }

  #count(caller: Caller, by: number): void {
    const count = (this.#each.get(caller.id) ?? 0) + by
    if (count > 0) this.#each.set(caller.id, count)
    else this.#each.delete(caller.id)
  }
}

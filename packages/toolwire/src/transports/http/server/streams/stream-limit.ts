import type { Caller } from '../../../../tools/caller.js'
import type { HttpRefusal } from '../http-refusal.js'
import type { HttpLimits } from '../options.js'

/** Bounds the streams that stay open to wait for news, in all and for each known caller. */
export class StreamLimit {
  readonly #limits: HttpLimits
  readonly #each = new Map<string, number>()
  #all = 0

  constructor(limits: HttpLimits) {
    this.#limits = limits
  }

  /** Gives back how to release it, or why there can be no more. */
  take(caller: Caller): (() => void) | HttpRefusal {
    const own = this.#each.get(caller.id) ?? 0
    if (this.#all >= this.#limits.streams) return tooMany(`${this.#limits.streams} streams are open already`)
    if (!caller.anonymous && own >= this.#limits.streamsEach)
      return tooMany(`${this.#limits.streamsEach} streams of this caller are open already`)
    this.#add(caller.id, 1)
    return () => this.#add(caller.id, -1)
  }

  #add(id: string, by: number): void {
    this.#all += by
    const own = (this.#each.get(id) ?? 0) + by
    if (own > 0) this.#each.set(id, own)
    else this.#each.delete(id)
  }
}

const tooMany = (message: string): HttpRefusal => ({ status: 429, message, code: 429, headers: { 'retry-after': '5' } })

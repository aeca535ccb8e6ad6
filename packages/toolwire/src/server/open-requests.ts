import { KeyedCounts } from '../bounds/keyed-counts.js'
import { type Caller, isCrowd } from '../tools/caller.js'
import { Refusal } from '../tools/refusal.js'

const most = 1_024

/** Limits requests that stay open and only wait: in all, and for each caller. */
export class OpenRequests {
  readonly #what: string
  readonly #each: KeyedCounts<string>
  #all = 0

  constructor(what: string, mostEach: number) {
    this.#what = what
    this.#each = new KeyedCounts(mostEach)
  }

  /** Takes a place for the caller, and returns the function that frees it. */
  take(caller: Caller): () => void {
    const isCounted = !isCrowd(caller)
    if (this.#all >= most || (isCounted && !this.#each.hasRoom(caller.id)))
      throw new Refusal('busy', `Too many ${this.#what} are open`, { retryAfterMs: 5_000 })
    const count = (by: 1 | -1) => {
      this.#all += by
      if (isCounted) this.#each.add(caller.id, by)
    }
    let isOpen = true
    count(1)
    return () => {
      if (isOpen) count(-1)
      isOpen = false
    }
  }
}

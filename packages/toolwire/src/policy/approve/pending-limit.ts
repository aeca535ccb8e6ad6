import { tooManyPending } from './refusals.js'

/** How many calls of each caller wait for a person. */
export class PendingLimit {
  readonly #taken = new Map<string, number>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  /** Takes one; the function gives it back. */
  enter(caller: string): () => void {
    const waiting = this.#taken.get(caller) ?? 0
    if (waiting >= this.#most) throw tooManyPending(this.#most)
    this.#taken.set(caller, waiting + 1)
    return () => this.#leave(caller)
  }

  #leave(caller: string): void {
    const left = (this.#taken.get(caller) ?? 1) - 1
    if (left > 0) this.#taken.set(caller, left)
    else this.#taken.delete(caller)
  }
}

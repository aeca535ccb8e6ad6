import type { Caller } from 'toolwire'

const mostKnown = 200

/** Who has called lately, with what they may do. */
export class KnownCallers {
  readonly #known = new Map<string, Caller>()

  note(caller: Caller): void {
    const known = this.#known.get(caller.id)
    if (known === caller) return
    this.#known.set(caller.id, caller)
    if (this.#known.size <= mostKnown) return
    const [oldest] = this.#known.keys()
    if (oldest !== undefined) this.#known.delete(oldest)
  }

  get(id: string): Caller | undefined {
    return this.#known.get(id)
  }

  list(): readonly Caller[] {
    return [...this.#known.values()]
  }
}

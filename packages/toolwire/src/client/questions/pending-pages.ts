import { BoundedMap } from '../../bounds/bounded-map.js'

/** Limit on open pages, beyond which the oldest are forgotten. */
const most = 1_000

/** Pages that people were sent to, by the server's ids, until the server reports that they are done. */
export class PendingPages {
  readonly #open = new BoundedMap<string, () => void>(most)

  /** Resolves when the server reports that the page is done. */
  begin(id: string): Promise<void> {
    return new Promise((resolve) => void this.#open.set(id, resolve))
  }

  end(id: unknown): void {
    if (typeof id !== 'string') return
    this.#open.get(id)?.()
    this.#open.delete(id)
  }
}

import { BoundedMap } from '../../bounds/bounded-map.js'

/** More than anybody has under way; beyond it the oldest are forgotten. */
const most = 1_000

/** Pages that people were sent to, by the ids that the server gave them, until it says that they are done there. */
export class PendingPages {
  readonly #open = new BoundedMap<string, () => void>(most)

  /** Resolves when the server has said so. */
  begin(id: string): Promise<void> {
    return new Promise((resolve) => void this.#open.set(id, resolve))
  }

  end(id: unknown): void {
    if (typeof id !== 'string') return
    this.#open.get(id)?.()
    this.#open.delete(id)
  }
}

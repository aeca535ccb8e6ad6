import { BoundedMap } from '../../bounds/bounded-map.js'

/** Limit on open pages, beyond which the oldest are forgotten. */
const most = 1_000
/** Longest id that is kept, in characters. Ids are kept until the server reports the page as done, which it may never do. */
const longestId = 256

/** Pages that people were sent to, by the server's ids, until the server reports that they are done. */
export class PendingPages {
  readonly #open = new BoundedMap<string, () => void>(most)

  /** Returns a promise that resolves when the server reports that the page is done, or undefined if the id cannot be kept. */
  begin(id: unknown): Promise<void> | undefined {
    if (typeof id !== 'string' || id.length > longestId) return undefined
    return new Promise((resolve) => void this.#open.set(id, resolve))
  }

  end(id: unknown): void {
    if (typeof id !== 'string') return
    this.#open.get(id)?.()
    this.#open.delete(id)
  }

  /** Called when the person does not visit the page. */
  forget(id: unknown): void {
    if (typeof id === 'string') this.#open.delete(id)
  }
}

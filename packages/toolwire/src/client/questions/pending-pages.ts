/** More pages than a person has open; the oldest is dropped beyond it. */
const most = 1_000

/** Pages that people were sent to, by the ids that the server gave them, until it says that they are done there. */
export class PendingPages {
  readonly #open = new Map<string, () => void>()

  /** Resolves when the server has said so. */
  begin(id: string): Promise<void> {
    const [oldest] = this.#open.keys()
    if (this.#open.size >= most && oldest !== undefined) this.#open.delete(oldest)
    return new Promise((resolve) => this.#open.set(id, resolve))
  }

  end(id: unknown): void {
    if (typeof id !== 'string') return
    this.#open.get(id)?.()
    this.#open.delete(id)
  }
}

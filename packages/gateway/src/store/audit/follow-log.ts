import type { AuditEntry } from 'toolwire/guard'
import type { ThreadClient } from '../thread-client.js'

const pageSize = 200

/** Lets any number of readers go along with the log. */
export class LogFollower {
  readonly #threadClient: ThreadClient
  readonly #wake = new Set<() => void>()
  #additions = 0

  constructor(threadClient: ThreadClient) {
    this.#threadClient = threadClient
  }

  added(): void {
    this.#additions++
    for (const wake of [...this.#wake]) wake()
  }

  async *from(after: number, signal: AbortSignal): AsyncGenerator<readonly AuditEntry[]> {
    let last = after
    while (!signal.aborted) {
      const seen = this.#additions
      const page = await this.#threadClient.run('entriesAfter', last, pageSize)
      const end = page.at(-1)
      if (!end) {
        await this.#addition(seen, signal)
        continue
      }
      last = end.sequence
      yield page
    }
  }

  /** Something may have been added while the last page was read. */
  #addition(seen: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (this.#additions !== seen || signal.aborted) return resolve()
      const wake = () => {
        this.#wake.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      this.#wake.add(wake)
      signal.addEventListener('abort', wake)
    })
  }
}

import { EventEmitter, once } from 'node:events'
import type { AuditEntry } from 'toolwire/guard'
import type { ThreadClient } from '../thread-client.js'

const pageSize = 200

/** Lets any number of readers go along with the log. */
export class LogFollower {
  readonly #thread: ThreadClient
  readonly #news = new EventEmitter().setMaxListeners(0)
  #additions = 0

  constructor(thread: ThreadClient) {
    this.#thread = thread
  }

  added(): void {
    this.#additions++
    this.#news.emit('added')
  }

  async *from(after: number, signal: AbortSignal): AsyncGenerator<readonly AuditEntry[]> {
    let last = after
    while (!signal.aborted) {
      // Something may be added while the page is read.
      const seen = this.#additions
      const page = await this.#thread.run('entriesAfter', last, pageSize)
      last = page.at(-1)?.sequence ?? last
      if (page.length > 0) yield page
      else if (this.#additions === seen) await once(this.#news, 'added', { signal }).catch(() => undefined) // the signal ends it
    }
  }
}

import { EventEmitter, once } from 'node:events'
import type { AuditEntry } from 'toolwire/guard'
import type { ThreadClient } from '../thread-client.js'

const pageSize = 200

/** Lets any number of readers follow the log. */
export function logFollower(thread: ThreadClient) {
  const news = new EventEmitter().setMaxListeners(0)
  let additions = 0
  return {
    added(): void {
      additions++
      news.emit('added')
    },
    async *from(after: number, signal: AbortSignal): AsyncGenerator<readonly AuditEntry[]> {
      let last = after
      while (!signal.aborted) {
        // Records may be added while the page is read.
        const seen = additions
        const page = await thread.run('entriesAfter', last, pageSize)
        last = page.at(-1)?.sequence ?? last
        if (page.length > 0) yield page
        else if (additions === seen) await once(news, 'added', { signal }).catch(() => undefined) // the signal ends it
      }
    },
  }
}

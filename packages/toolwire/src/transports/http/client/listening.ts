import type { Single } from '../../../jsonrpc/parse.js'
import type { LinkError } from '../../../peer/link.js'
import type { Revision } from '../../../revisions/revision.js'
import { Bookmark } from './bookmark.js'
import type { Door } from './door.js'
import type { Errand } from './errand.js'
import type { Recipient } from './recipient.js'
import { isPassing, type Reading, visit } from './visit.js'

/**
 * The stream on which a server with sessions speaks first; not every server has one.
 * spec 2025-11-25, basic/transports#listening-for-messages-from-the-server
 */
export class Listening implements Recipient {
  readonly #door: Door
  readonly #reading: Reading
  readonly #bookmark = new Bookmark()
  readonly #settled: () => void
  #errand: Errand | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  /** There is always more to come. */
  readonly done = false

  /** `settled` is called once it is known whether there is such a stream, and maybe again. */
  constructor(door: Door, revision: Revision, settled: () => void) {
    const form = { limit: door.limit, batches: revision.batching }
    this.#door = door
    this.#reading = { bookmark: this.#bookmark, revision, form, recipient: this }
    this.#settled = settled
  }

  begin(): void {
    this.#errand = visit(this.#door, this.#reading, { opened: this.#settled, failed: (why) => this.#failed(why) })
    this.#errand.begin()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#errand?.stop()
    this.#settled()
  }

  take(message: Single): void {
    const { listener } = this.#door
    if (message.kind === 'invalid') listener.warn(`The server sent what is no message: ${message.error.message}`)
    else listener.hear(message)
  }

  /** A server that does not have one says so with a 405, and others with whatever comes to their minds. */
  #failed(why: LinkError): void {
    this.#settled()
    if (!isPassing(why)) return
    this.#timer = setTimeout(() => this.begin(), this.#bookmark.wait(this.#door.random))
    // A program that has nothing else to do may end.
    if (typeof this.#timer === 'object') this.#timer.unref()
  }
}

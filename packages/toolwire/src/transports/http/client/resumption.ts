import { LinkError } from '../../../peer/link.js'
import type { Door } from './door.js'
import type { Errand } from './errand.js'
import { isPassing, type Reading, visit } from './visit.js'

/** Visits in a row that bring nothing new. */
const mostVisits = 8

/** Reads on a stream that ended before the answer was there. spec 2025-11-25, basic/transports#resumability-and-redelivery */
export class Resumption {
  readonly #door: Door
  readonly #reading: Reading
  readonly #lost: (why: LinkError) => void
  #errand: Errand | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(door: Door, reading: Reading, lost: (why: LinkError) => void) {
    this.#door = door
    this.#reading = reading
    this.#lost = lost
  }

  begin(): void {
    this.#timer = setTimeout(() => this.#visit(), this.#reading.bookmark.wait(this.#door.random))
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#errand?.stop()
  }

  settle(): void {
    this.#errand?.settle()
  }

  #visit(): void {
    this.#errand = visit(this.#door, this.#reading, { failed: (why) => this.#failed(why) })
    this.#errand.begin()
  }

  #failed(why: LinkError): void {
    if (isPassing(why) && this.#reading.bookmark.visits < mostVisits) this.begin()
    else this.#lost(final(why))
  }
}

/** The request itself was sent, whatever became of the visits. */
function final(why: LinkError): LinkError {
  if (why.code === 'too-large' || why.code === 'garbage') return why
  const message = `The stream ended before the answer was there, and could not be read on: ${why.message}`
  return new LinkError('broken', message, { sent: true, cause: why })
}

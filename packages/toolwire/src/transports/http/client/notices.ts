import type { Outgoing } from '../../../peer/link.js'
import { ignored } from './body.js'
import type { Door } from './door.js'
import { Errand } from './errand.js'
import { laneOf } from './lane.js'

/** Enough for several to each call that can be under way. */
const mostWaiting = 1_024
/** In characters, which are nearly bytes. */
const longestTogether = 4 * 1024 * 1024
const patienceMs = 30_000

type Notice = { readonly errand: Errand; readonly length: number; readonly timer: ReturnType<typeof setTimeout> }

/**
 * Notifications and responses, which have no answer, until the server has accepted them. A server can make us send them by asking,
 * so it must not be able to make us keep them.
 */
export class Notices {
  readonly #door: Door
  readonly #path: string | undefined
  readonly #allAccepted: () => void
  readonly #waiting = new Set<Notice>()
  /** Of all that wait. */
  #length = 0
  #isDropping = false

  /** `path` is where they are posted, if not at the target's own. */
  constructor(door: Door, { path, allAccepted = () => {} }: { path?: string; allAccepted?: () => void } = {}) {
    this.#door = door
    this.#path = path
    this.#allAccepted = allAccepted
  }

  get size(): number {
    return this.#waiting.size
  }

  send(message: Outgoing): void {
    if (this.#hasRoomFor(message)) this.#begin(message)
    else this.#drop()
  }

  /** One alone may be as long as it has to be. */
  #hasRoomFor({ text }: Outgoing): boolean {
    const { size } = this.#waiting
    return size === 0 || (size < mostWaiting && this.#length + text.length <= longestTogether)
  }

  #begin(message: Outgoing): void {
    const errand: Errand = new Errand(this.#door, this.#task(message), {
      answered: () => {
        // What comes back for it is of no interest, least of all a stream.
        errand.settle()
        this.#over(notice)
        return ignored
      },
      failed: (why) => this.#lose(notice, why.message),
    })
    const timer = setTimeout(() => {
      errand.stop()
      this.#lose(notice, `the server has not accepted it for ${patienceMs / 1_000} seconds`)
    }, patienceMs)
    // A program that has nothing else to do may end.
    if (typeof timer === 'object') timer.unref()
    const notice = { errand, length: message.text.length, timer }
    this.#waiting.add(notice)
    this.#length += notice.length
    errand.begin()
  }

  #task(message: Outgoing) {
    const { text, method, revision, mirrored } = message
    const { headings } = this.#door
    const headers = headings.posts(revision, mirrored)
    const hasSession = headings.hasSession(revision)
    return { lane: laneOf(message), httpMethod: 'POST', path: this.#path, headers, hasSession, text, method } as const
  }

  #lose(notice: Notice, why: string): void {
    this.#door.listener.warn(`A message was not delivered: ${why}`)
    this.#over(notice)
  }

  #over(notice: Notice): void {
    clearTimeout(notice.timer)
    if (!this.#waiting.delete(notice)) return
    this.#length -= notice.length
    if (this.#waiting.size > 0) return
    this.#isDropping = false
    this.#allAccepted()
  }

  /** Said once, until the server has caught up. */
  #drop(): void {
    if (this.#isDropping) return
    this.#isDropping = true
    this.#door.listener.warn('The server does not accept our answers and notifications; more of them are dropped until it does')
  }
}

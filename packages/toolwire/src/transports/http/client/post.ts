import type { Single } from '../../../jsonrpc/parse.js'
import type { LinkError, Listener } from '../../../peer/link.js'
import type { Bagged } from '../../../tools/bag.js'
import { answerIn, checkMeant, garbage } from './answer.js'
import type { Asking } from './asking.js'
import type { Body } from './body.js'
import { Bookmark } from './bookmark.js'
import { headerOf, type ReceivedHeaders } from './carrier.js'
import type { Door } from './door.js'
import { Errand } from './errand.js'
import { EventReply } from './event-reply.js'
import { JsonReply } from './json-reply.js'
import { laneOf } from './lane.js'
import { eventType, jsonType, mediaOf } from './media.js'
import type { Recipient, ReplyForm } from './recipient.js'
import { Resumption } from './resumption.js'
import type { Sender } from './task.js'

/** One request posted, and what comes back for it. */
export class Post implements Sender, Recipient, Bagged {
  readonly #door: Door
  readonly #message: Asking
  /** Called last, after the listener. */
  readonly #finished: (post: Post) => void
  #errand: Errand | Resumption
  /** There is one when the answer is a stream. */
  #bookmark: Bookmark | undefined
  #sawStranger = false
  done = false
  place = 0

  constructor(door: Door, message: Asking, finished: (post: Post) => void) {
    const { text, id, method, mirrored } = message
    // Before a handshake there is nothing to repeat in a header: no version is agreed on.
    const revision = method === 'initialize' ? undefined : message.revision
    const headers = door.headings.posts(revision, mirrored)
    const hasSession = door.headings.hasSession(revision)
    this.#door = door
    this.#message = message
    this.#finished = finished
    const task = { lane: laneOf(message), httpMethod: 'POST', headers, hasSession, text, id, method } as const
    this.#errand = new Errand(door, task, this)
  }

  get id(): number {
    return this.#message.id
  }

  begin(): void {
    this.#errand.begin()
  }

  /** Nobody waits for the answer any more. */
  stop(): void {
    this.#errand.stop()
  }

  answered(status: number, headers: ReceivedHeaders): Body {
    const media = mediaOf(headers)
    if (this.#message.method === 'initialize') this.#door.headings.openSession(headerOf(headers, 'mcp-session-id'))
    if (media === jsonType) return new JsonReply(this, this.#form)
    if (media !== eventType) throw garbage(`HTTP ${status} and ${media === '' ? 'no content type' : media.slice(0, 80)}`)
    this.#bookmark = new Bookmark()
    return new EventReply(this, this.#bookmark, this.#form)
  }

  take(message: Single): void {
    const answer = this.done ? undefined : answerIn(message, this.id)
    const { listener } = this.#door
    if (answer) {
      this.#hear(answer)
    } else if (message.kind === 'response') {
      this.#sawStranger = true
      listener.warn('The server answered a request with the answer to some other; it was passed over')
    } else if (message.kind === 'invalid') {
      checkMeant(message, this.id)
      listener.warn(`A message was passed over: ${message.error.message}`)
    } else {
      listener.hear(message, this.id)
    }
  }

  failed(why: LinkError): void {
    if (why.code === 'broken' && this.#bookmark !== undefined && this.#canResume(this.#bookmark)) this.#resume(this.#bookmark)
    else this.#lose(why)
  }

  #hear(answer: Parameters<Listener['hear']>[0]): void {
    this.done = true
    if (this.#bookmark !== undefined) this.#errand.settle()
    this.#door.listener.hear(answer)
    this.#finished(this)
  }

  #lose(why: LinkError): void {
    const isConfused = this.#sawStranger && why.code === 'broken'
    this.#door.listener.lost(this.id, isConfused ? garbage('the answer to some other request') : why)
    this.#finished(this)
  }

  #canResume(bookmark: Bookmark): boolean {
    return bookmark.id !== '' && this.#message.revision?.http.resumable === true
  }

  #resume(bookmark: Bookmark): void {
    const { revision } = this.#message
    const reading = { bookmark, revision, form: this.#form, recipient: this }
    this.#errand = new Resumption(this.#door, reading, (why) => this.#lose(why))
    this.#errand.begin()
  }

  get #form(): ReplyForm {
    return { limit: this.#door.limit, batches: this.#message.revision?.batching === true }
  }
}

import type { Link, Outgoing } from '../../../peer/link.js'
import type { Revision } from '../../../revisions/revision.js'
import { Crowd } from './crowd.js'
import { type Door, deaf } from './door.js'
import { endSession } from './farewell.js'
import { Listening } from './listening.js'
import { Post } from './post.js'

/** Streamable HTTP, of every edition that has it: each message is a POST of its own. */
export class PostingLink implements Link {
  readonly shape = 'posts'
  readonly #door: Door
  readonly #open = new Crowd<Post>()
  readonly #finish = (post: Post): void => this.#finished(post)
  /** Messages without an answer that the server has not accepted yet. */
  #notices = 0
  #revision: Revision | undefined
  #listening: Listening | undefined
  #isListening = false
  #closing: Promise<void> | undefined

  constructor(door: Door) {
    this.#door = door
  }

  send(message: Outgoing): void {
    if (this.#closing) return
    if (message.method === 'initialize') this.#startOver()
    const post = new Post(this.#door, message, this.#finish)
    if (message.id === undefined) this.#notices++
    else this.#open.add(post)
    post.begin()
  }

  drop(id: number): void {
    const post = this.#open.find(id)
    if (!post) return
    this.#open.remove(post)
    post.stop()
  }

  settled(revision: Revision): Promise<void> | undefined {
    this.#revision = revision
    if (this.#closing || !revision.http.sessions) return undefined
    return new Promise((resolve) => {
      this.#listening = new Listening(this.#door, revision, resolve)
      this.#listen()
    })
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** Servers are not to be asked for anything before they know that the handshake is over. */
  #listen(): void {
    if (this.#notices > 0 || this.#isListening || !this.#listening) return
    this.#isListening = true
    this.#listening.begin()
  }

  #finished(post: Post): void {
    if (post.id === undefined) {
      this.#notices--
      this.#listen()
    } else {
      this.#open.remove(post)
    }
  }

  /** A new handshake begins without a session. */
  #startOver(): void {
    this.#door.headings.forgetSession()
    this.#listening?.stop()
    this.#listening = undefined
    this.#isListening = false
  }

  async #close(): Promise<void> {
    this.#door.listener = deaf
    this.#listening?.stop()
    for (const post of this.#open.clear()) post.stop()
    await endSession(this.#door, this.#revision)
    await this.#door.carrier.close()
  }
}

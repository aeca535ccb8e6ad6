import { Bag } from '../../../bounds/bag.js'
import type { ClientTransport, OutgoingMessage, TransportError } from '../../../peer/client-transport.js'
import type { Revision } from '../../../revisions/revision.js'
import { endSession } from './end-session.js'
import { type HttpConnection, noopListener } from './http-connection.js'
import { OneWayMessages } from './one-way-messages.js'
import { PostRequest } from './post-request.js'
import { type AnsweredMessage, isAnsweredMessage } from './requests/http-request.js'
import { type StandaloneStream, standaloneStream } from './standalone-stream.js'

/** Streamable HTTP, of every edition that has it: each message is a POST of its own. */
export class HttpTransport implements ClientTransport {
  readonly shape = 'posts'
  readonly #httpConnection: HttpConnection
  readonly #open = new Bag<PostRequest>()
  readonly #notices: OneWayMessages
  #revision: Revision | undefined
  #listening: StandaloneStream | undefined
  #isListening = false
  /** The server does not know our session any more, as we heard when it was not about a request. */
  #gone: TransportError | undefined
  #closing: Promise<void> | undefined

  constructor(httpConnection: HttpConnection) {
    this.#httpConnection = httpConnection
    this.#notices = new OneWayMessages(httpConnection, { allAccepted: () => this.#listen() })
  }

  send(message: OutgoingMessage): void {
    if (this.#closing) return
    if (isAnsweredMessage(message)) this.#ask(message)
    else this.#notices.send(message)
  }

  drop(id: number): void {
    const post = this.#open.find((one) => one.id === id)
    if (!post) return
    post.stop()
    this.#finished(post)
  }

  settled(revision: Revision): Promise<void> | undefined {
    this.#revision = revision
    if (this.#closing || !revision.http.sessions) return undefined
    return new Promise((resolve) => {
      this.#listening = standaloneStream(this.#httpConnection, revision, {
        settled: resolve,
        sessionGone: (why) => this.#sessionGone(why),
      })
      this.#listen()
    })
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  #ask(message: AnsweredMessage): void {
    if (message.method === 'initialize') this.#startOver()
    const post = new PostRequest(this.#httpConnection, message, this.#finished)
    this.#open.add(post)
    post.begin()
  }

  /** Servers are not to be asked for anything before they know that the handshake is over. */
  #listen(): void {
    if (this.#closing || this.#notices.size > 0 || this.#isListening || !this.#listening) return
    this.#isListening = true
    this.#listening.begin()
  }

  readonly #finished = (post: PostRequest): void => {
    this.#open.delete(post)
    if (this.#gone && this.#open.size === 0) this.#end(this.#gone)
  }

  /** What is under way may still be answered, or else finds out by itself. */
  #sessionGone(why: TransportError): void {
    this.#gone = why
    if (this.#open.size === 0) this.#end(why)
  }

  #end(why: TransportError): void {
    const { listener, sessionHeaders } = this.#httpConnection
    sessionHeaders.forgetSession()
    void this.close()
    listener.ended(why)
  }

  /** A new handshake begins without a session. */
  #startOver(): void {
    this.#httpConnection.sessionHeaders.forgetSession()
    this.#listening?.stop()
    this.#listening = undefined
    this.#isListening = false
    this.#gone = undefined
  }

  async #close(): Promise<void> {
    this.#httpConnection.listener = noopListener
    this.#listening?.stop()
    for (const post of this.#open.clear()) post.stop()
    await endSession(this.#httpConnection, this.#revision)
    await this.#httpConnection.client.close()
  }
}

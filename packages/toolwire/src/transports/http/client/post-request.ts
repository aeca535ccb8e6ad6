import type { BagItem } from '../../../bounds/bag.js'
import type { InvalidMessage, SingleMessage } from '../../../jsonrpc/read-message.js'
import { TransportError, type TransportListener, unusableAnswer } from '../../../peer/client-transport.js'
import { eventType, jsonType } from '../media-type.js'
import { headerOf, type ReceivedHeaders } from './http-clients/http-client.js'
import type { HttpConnection } from './http-connection.js'
import { eventReply } from './replies/event-reply.js'
import { jsonReply, type MessageReceiver, type ReplyForm } from './replies/message-receiver.js'
import { mediaTypeOf, type ResponseBody } from './replies/response-body.js'
import { ResumePoint } from './replies/resume-point.js'
import { resumeReply } from './replies/stream-visits.js'
import { type AnsweredMessage, postOf, type ResponseHandler } from './requests/http-request.js'
import { RetryingRequest } from './requests/retrying-request.js'

type Answer = Extract<SingleMessage, { kind: 'response' }>

/** The message, if it answers that request. An error that names no request can only be about the one it comes back for. */
function answerIn(message: SingleMessage, id: number | undefined): Answer | undefined {
  if (message.kind !== 'response' || id === undefined) return undefined
  const { response } = message
  if (response.id === id) return message
  const namesNone = 'error' in response && (response.id === undefined || response.id === null)
  return namesNone ? { kind: 'response', response: { ...response, id } } : undefined
}

/** Throws if the invalid message was meant as the answer, or its kind is unknown. */
function checkNotAnswer({ id: about, about: kind, error }: InvalidMessage, id: number | undefined): void {
  if (about !== undefined && about === id) throw unusableAnswer(error.message)
  if (kind === 'unknown') throw unreadableAnswer(`an invalid message: ${error.message}`)
}

const unreadableAnswer = (what: string): TransportError =>
  new TransportError('garbage', `The server answered with ${what}`, { sent: true })

export class PostRequest implements ResponseHandler, MessageReceiver, BagItem {
  readonly #httpConnection: HttpConnection
  readonly #message: AnsweredMessage
  /** Called last, after the listener. */
  readonly #finished: (post: PostRequest) => void
  #request: Pick<RetryingRequest, 'begin' | 'stop' | 'settle'>
  /** Set if the response is a stream. */
  #resumePoint: ResumePoint | undefined
  #sawStranger = false
  done = false
  place = 0

  constructor(httpConnection: HttpConnection, message: AnsweredMessage, finished: (post: PostRequest) => void) {
    this.#httpConnection = httpConnection
    this.#message = message
    this.#finished = finished
    // Before a handshake no version is agreed on, so no header repeats it.
    const sent = message.method === 'initialize' ? { ...message, revision: undefined } : message
    this.#request = new RetryingRequest(httpConnection, postOf(httpConnection, sent), this)
  }

  get id(): number {
    return this.#message.id
  }

  begin(): void {
    this.#request.begin()
  }

  stop(): void {
    this.#request.stop()
  }

  answered(status: number, headers: ReceivedHeaders): ResponseBody {
    const media = mediaTypeOf(headers)
    if (this.#message.method === 'initialize')
      this.#httpConnection.sessionHeaders.openSession(headerOf(headers, 'mcp-session-id'))
    if (media === jsonType) return jsonReply(this, this.#form)
    if (media !== eventType) throw unreadableAnswer(`HTTP ${status} and ${media === '' ? 'no content type' : media.slice(0, 80)}`)
    this.#resumePoint = new ResumePoint()
    return eventReply(this, this.#resumePoint, this.#form)
  }

  take(message: SingleMessage): void {
    const answer = this.done ? undefined : answerIn(message, this.id)
    const { listener } = this.#httpConnection
    if (answer) {
      this.#hear(answer)
    } else if (message.kind === 'response') {
      this.#sawStranger = true
      listener.warn('The server sent a response to another request. It was ignored.')
    } else if (message.kind === 'invalid') {
      checkNotAnswer(message, this.id)
      listener.warn(`A message was ignored: ${message.error.message}`)
    } else {
      listener.hear(message, this.id)
    }
  }

  failed(why: TransportError) {
    const resumePoint = this.#resumePoint
    const { revision } = this.#message
    if (why.code !== 'broken' || !resumePoint?.id || !revision?.http.resumable) return this.#lose(why)
    const failed = (last: TransportError): void => this.#lose(last)
    this.#request = resumeReply(this.#httpConnection, { resumePoint, revision, form: this.#form, receiver: this, failed })
  }

  #hear(answer: Parameters<TransportListener['hear']>[0]): void {
    this.done = true
    if (this.#resumePoint !== undefined) this.#request.settle()
    this.#httpConnection.listener.hear(answer)
    this.#finished(this)
  }

  #lose(why: TransportError): void {
    const isConfused = this.#sawStranger && why.code === 'broken'
    this.#httpConnection.listener.lost(this.id, isConfused ? unreadableAnswer('the response to another request') : why)
    this.#finished(this)
  }

  get #form(): ReplyForm {
    return { limit: this.#httpConnection.limit, batches: this.#message.revision?.batching === true }
  }
}

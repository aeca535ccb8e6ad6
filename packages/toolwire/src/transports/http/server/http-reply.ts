import type { Answer } from '../../../peer/application.js'
import type { ReplyChannel } from '../../../peer/reply-channel.js'
import type { Caller } from '../../../tools/caller.js'
import { answerText } from '../../batch-answers.js'
import { acceptsEvents } from './check-media.js'
import type { HttpExchange } from './http-exchange.js'
import { jsonHeaders, retryAfterHeader } from './http-refusal.js'
import type { HttpSession } from './sessions/http-session.js'
import type { ResumableStream } from './sessions/resumable-stream.js'
import { type EventStream, eventStream, type StreamRules } from './streams/event-stream.js'

/** The session of a reply, the caller of this request, and the time at which a stream of it ends because the caller's credentials expire. */
type ReplyOwner = { readonly session?: HttpSession; readonly caller?: Caller; readonly expiresAt?: number | undefined }

/** The reply to one POST: JSON, or a stream if messages precede the answer. */
export class HttpReply implements ReplyChannel {
  readonly header: HttpExchange['header']
  readonly hold: HttpExchange['hold']
  readonly #exchange: HttpExchange
  readonly #rules: StreamRules
  readonly #owner: ReplyOwner | undefined
  #stream: EventStream | ResumableStream | undefined

  constructor(exchange: HttpExchange, rules: StreamRules, owner?: ReplyOwner) {
    this.header = exchange.header
    this.hold = exchange.hold
    this.#exchange = exchange
    this.#rules = rules
    this.#owner = owner
  }

  get caller(): Caller | undefined {
    return this.#owner?.caller
  }

  get twoWay(): boolean {
    return this.#owner?.session !== undefined && acceptsEvents(this.#exchange)
  }

  get hangUp(): ReplyChannel['hangUp'] {
    const session = this.twoWay ? this.#owner?.session : undefined
    if (!session?.peerInfo?.revision.http.priming) return undefined
    return (retryMs) => {
      this.#stream ??= session.openStream(this.#exchange, this.#owner?.expiresAt)
      this.#stream.hangUp(retryMs)
    }
  }

  readonly send = (message: string): void => {
    if (this.#stream) this.#stream.send(message)
    // A client that accepts only JSON gets the answer without progress or logs.
    else if (acceptsEvents(this.#exchange)) this.#open(message)
  }

  /** Sends the answer and ends the reply. Without an answer, the request was cancelled. */
  finish(answer: Answer | undefined, status: number): void {
    if (this.#stream) {
      if (answer) this.#stream.send(answerText(answer))
      this.#stream.end()
    } else if (answer) respondOrChallenge(this.#exchange, answer, status)
    // HTTP requires a response: a stream without events, if the client accepts streams.
    else if (acceptsEvents(this.#exchange)) eventStream(this.#exchange, this.#rules).end()
    else this.#exchange.respond(202, {})
  }
  #open(message: string): void {
    const { session, expiresAt } = this.#owner ?? {}
    this.#stream =
      session?.openStream(this.#exchange, expiresAt) ??
      eventStream(this.#exchange, this.#rules, { first: { data: message }, expiresAt })
    if (session) this.#stream.send(message)
  }
}

/**
 * Sends the answer with that status, or with a challenge if the caller needs more scopes.
 * spec 2026-07-28, basic/authorization#scope-challenge-handling
 */
function respondOrChallenge(exchange: HttpExchange, answer: Answer, status: number): void {
  const { scopes, retryAfterMs, body } = answer
  const challenge = scopes && exchange.challenge?.(scopes)
  const headers = retryAfterMs === undefined ? jsonHeaders : { ...jsonHeaders, ...retryAfterHeader(retryAfterMs) }
  if (challenge === undefined) exchange.respond(status, headers, body)
  else exchange.respond(403, { ...jsonHeaders, 'www-authenticate': challenge }, body)
}

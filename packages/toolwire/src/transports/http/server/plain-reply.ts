import type { Answer } from '../../../peer/application.js'
import type { ReplyChannel } from '../../../peer/reply-channel.js'
import { answerText } from '../../batch-answers.js'
import { acceptsEvents } from './check-media.js'
import type { HttpExchange, HttpHeaders } from './http-exchange.js'
import { jsonHeaders, retryAfterHeader } from './http-refusal.js'
import { EventStream, type StreamRules } from './streams/event-stream.js'

/** The reply to one POST that stands for itself: JSON, or a stream as soon as there is something to say before the answer. */
export class PlainReply implements ReplyChannel {
  readonly hangUp = undefined
  readonly twoWay = false
  readonly header: HttpExchange['header']
  readonly #exchange: HttpExchange
  readonly #rules: StreamRules
  readonly #expiresAt: number | undefined
  #events: EventStream | undefined

  constructor(exchange: HttpExchange, rules: StreamRules, expiresAt: number | undefined) {
    this.header = exchange.header
    this.#exchange = exchange
    this.#rules = rules
    this.#expiresAt = expiresAt
  }

  readonly send = (message: string) => {
    if (this.#events) return this.#events.sendMessage(message)
    // A client that accepts only JSON gets the answer without progress or logs.
    if (!acceptsEvents(this.#exchange)) return
    this.#events = new EventStream(this.#exchange, this.#rules, { first: { data: message }, expiresAt: this.#expiresAt })
  }

  /** The answer is the last there is. Without one, the request was cancelled. */
  finish(answer: Answer | undefined, status: number): void {
    if (this.#events) {
      if (answer) this.#events.send({ data: answerText(answer) })
      this.#events.end()
    } else if (answer) respondOrChallenge(this.#exchange, answer, status)
    else endWithoutAnswer(this.#exchange, this.#rules)
  }
}

/** Answers with that status, unless the caller has to get more scopes first. spec 2026-07-28, basic/authorization#scope-challenge-handling */
export function respondOrChallenge(exchange: HttpExchange, answer: Answer, status: number): void {
  const challenge = answer.scopes && exchange.challenge?.(answer.scopes)
  if (challenge === undefined) exchange.respond(status, headersOf(answer), answer.body)
  else exchange.respond(403, { ...jsonHeaders, 'www-authenticate': challenge }, answer.body)
}

function headersOf({ retryAfterMs }: Answer): HttpHeaders {
  return retryAfterMs === undefined ? jsonHeaders : { ...jsonHeaders, ...retryAfterHeader(retryAfterMs) }
}

/** A cancelled request has no response, but HTTP needs an end: a stream without events, where that can be read. */
export function endWithoutAnswer(exchange: HttpExchange, rules: StreamRules): void {
  if (acceptsEvents(exchange)) new EventStream(exchange, rules).end()
  else exchange.respond(202, {})
}

import type { Answer } from '../../peer/application.js'
import type { Line } from '../../peer/line.js'
import { textOf } from '../batch-answers.js'
import type { Exchange } from './exchange.js'
import { acceptsEvents } from './media.js'
import type { OutgoingStream } from './outgoing-stream.js'
import { endWithout, respond } from './plain-reply.js'
import type { Session } from './session.js'

/** The reply to one POST of a session: JSON, or a stream as soon as there is something to say before the answer. */
export class SessionReply implements Line {
  readonly header: Exchange['header']
  readonly #session: Session
  readonly #exchange: Exchange
  #stream: OutgoingStream | undefined

  constructor(session: Session, exchange: Exchange) {
    this.#session = session
    this.#exchange = exchange
    this.header = exchange.header
  }

  get twoWay(): boolean {
    return acceptsEvents(this.#exchange)
  }

  readonly send = (message: string): void => {
    if (this.twoWay) this.#open().send(message)
  }

  get hangUp(): Line['hangUp'] {
    const comesBack = this.twoWay && this.#session.terms?.revision.http.priming
    return comesBack ? (retryMs) => this.#open().hangUp(retryMs) : undefined
  }

  finish(answer: Answer | undefined): void {
    if (this.#stream) {
      if (answer) this.#stream.send(textOf(answer))
      this.#stream.finish()
    } else if (answer) respond(this.#exchange, answer, answer.malformed ? 400 : 200)
    else endWithout(this.#exchange, this.#session.rules)
  }

  #open(): OutgoingStream {
    this.#stream ??= this.#session.openStream(this.#exchange)
    return this.#stream
  }
}

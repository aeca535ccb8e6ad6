import type { Answer } from '../../../../peer/application.js'
import type { ReplyChannel } from '../../../../peer/reply-channel.js'
import { answerText } from '../../../batch-answers.js'
import { acceptsEvents } from '../check-media.js'
import type { HttpExchange } from '../http-exchange.js'
import { endWithoutAnswer, respondOrChallenge } from '../plain-reply.js'
import type { HttpSession } from './http-session.js'
import type { ResumableStream } from './resumable-stream.js'

/** The reply to one POST of a session: JSON, or a stream as soon as there is something to say before the answer. */
export class SessionReply implements ReplyChannel {
  readonly header: HttpExchange['header']
  readonly #session: HttpSession
  readonly #exchange: HttpExchange
  #stream: ResumableStream | undefined

  constructor(session: HttpSession, exchange: HttpExchange) {
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

  get hangUp(): ReplyChannel['hangUp'] {
    const comesBack = this.twoWay && this.#session.peerInfo?.revision.http.priming
    return comesBack ? (retryMs) => this.#open().hangUp(retryMs) : undefined
  }

  finish(answer: Answer | undefined): void {
    if (this.#stream) {
      if (answer) this.#stream.send(answerText(answer))
      this.#stream.finish()
    } else if (answer) respondOrChallenge(this.#exchange, answer, answer.malformed ? 400 : 200)
    else endWithoutAnswer(this.#exchange, this.#session.rules)
  }

  #open(): ResumableStream {
    this.#stream ??= this.#session.openStream(this.#exchange)
    return this.#stream
  }
}

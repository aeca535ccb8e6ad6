import { codes } from '../jsonrpc/error.js'
import { type ParsedMessage, readMessage } from '../jsonrpc/read-message.js'
import type { Answer, Application } from '../peer/application.js'
import { Conversation } from '../peer/conversation.js'
import type { ReplyChannel } from '../peer/reply-channel.js'
import type { Caller } from '../tools/caller.js'
import { invalidMessage, receiveMessageOrBatch } from './batch.js'

/** A conversation over something that carries messages both ways. Answers leave when they are ready, in no particular order. */
export class DuplexChannel {
  readonly conversation: Conversation
  readonly #app: Application
  readonly #send: (body: Answer['body']) => void
  readonly #reply: ReplyChannel
  #working = 0
  #whenIdle: (() => void) | undefined

  constructor(app: Application, caller: Caller, send: (body: Answer['body']) => void) {
    this.#app = app
    this.#send = send
    this.#reply = { send, header: undefined, hangUp: undefined, twoWay: true }
    this.conversation = new Conversation(caller, (message) => {
      send(message)
      return true
    })
    app.join(this.conversation)
  }

  take(message: Uint8Array | string | 'oversize'): void {
    this.takeParsed(
      message === 'oversize'
        ? invalidMessage('Parse error: the message is longer than allowed', codes.parseError)
        : readMessage(message),
    )
  }

  takeParsed(message: ParsedMessage): void {
    const answer = receiveMessageOrBatch(this.#app, message, this.conversation, this.#reply)
    if (!(answer instanceof Promise)) this.#answer(answer)
    else {
      this.#working++
      void answer.then(this.#settled)
    }
  }

  /** Resolves once no request is being answered. */
  idle(): Promise<void> {
    if (this.#working === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#whenIdle = resolve
    })
  }

  leave(): void {
    this.#app.leave(this.conversation)
  }

  readonly #settled = (answer: Answer | undefined): void => {
    this.#answer(answer)
    if (--this.#working === 0) this.#whenIdle?.()
  }

  #answer(answer: Answer | undefined): void {
    if (answer) this.#send(answer.body)
  }
}

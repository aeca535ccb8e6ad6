import { codes } from '../jsonrpc/error.js'
import type { ParsedMessage } from '../jsonrpc/read-message.js'
import type { Answer, Application } from '../peer/application.js'
import { Conversation } from '../peer/conversation.js'
import type { ReplyChannel } from '../peer/reply-channel.js'
import type { Caller } from '../tools/caller.js'
import { invalidMessage, receiveMessageOrBatch } from './batch.js'
import { messageReader } from './message-reader.js'

type MessageSource = Pick<ReplyChannel, 'caller' | 'hold'>

export type DuplexChannel = ReturnType<typeof duplexChannel>

/** A conversation over a channel for both directions. Answers are sent when they are ready, in no particular order. */
export function duplexChannel(app: Application, caller: Caller, send: (body: Answer['body']) => void) {
  const conversation = new Conversation(caller, (message) => {
    send(message)
    return true
  })
  const reply = { send, header: undefined, hangUp: undefined, twoWay: true }
  let working = 0
  let whenIdle: (() => void) | undefined
  let hasLeft = false
  const settled = (answer: Answer | undefined): void => {
    if (answer) send(answer.body)
    if (--working === 0) whenIdle?.()
  }
  /** `from` has the caller and the memory of this message, if each is a request of its own. A promise settles when the message has been answered. */
  const takeParsed = (message: ParsedMessage, from?: MessageSource): Promise<void> | undefined => {
    const answer = receiveMessageOrBatch(app, message, conversation, from ? { ...reply, ...from } : reply)
    if (answer instanceof Promise) {
      working++
      return answer.then(settled)
    }
    if (answer) send(answer.body)
    return undefined
  }
  const reader = messageReader((message) => {
    if (!hasLeft) void takeParsed(message)
  })
  app.join(conversation)
  return {
    conversation,
    takeParsed,
    take(message: Uint8Array | string | 'oversize'): void {
      if (message === 'oversize') reader.take(tooLong())
      else reader.read(message)
    },
    /** Pending while messages wait for other work. */
    get behind() {
      return reader.behind
    },
    /** Resolves once no request is being answered. */
    async idle(): Promise<void> {
      await reader.behind
      if (working === 0) return
      await new Promise<void>((resolve) => {
        whenIdle = resolve
      })
    },
    leave(): void {
      hasLeft = true
      app.leave(conversation)
    },
  }
}

const tooLong = (): ParsedMessage => invalidMessage('Parse error: the message is longer than allowed', codes.parseError)

import { finishInTurns } from '../bounds/steps.js'
import { isLongWork, yieldToEventLoop } from '../bounds/yield-when-busy.js'
import { codes } from '../jsonrpc/error.js'
import { type ParsedMessage, readMessage, readMessageSteps } from '../jsonrpc/read-message.js'
import type { Answer, Application } from '../peer/application.js'
import { Conversation } from '../peer/conversation.js'
import type { Caller } from '../tools/caller.js'
import { invalidMessage, receiveMessageOrBatch } from './batch.js'

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
  /** Settles when the messages that wait for other work have been taken. */
  let behind: Promise<void> | undefined
  let hasLeft = false
  const settled = (answer: Answer | undefined): void => {
    if (answer) send(answer.body)
    if (--working === 0) whenIdle?.()
  }
  /** `from` is the caller of this message, if each brings credentials of its own. A promise settles when the message has been answered. */
  const takeParsed = (message: ParsedMessage, from?: Caller): Promise<void> | undefined => {
    const answer = receiveMessageOrBatch(app, message, conversation, from ? { ...reply, caller: from } : reply)
    if (answer instanceof Promise) {
      working++
      return answer.then(settled)
    }
    if (answer) send(answer.body)
    return undefined
  }
  /** Takes a message after those before it. Other work comes between reading a long message and its answer. */
  const takeLater = (read: () => ParsedMessage | Promise<ParsedMessage>): void => {
    working++
    const turn = (behind ?? Promise.resolve()).then(read).then(async (message) => {
      await yieldToEventLoop()
      if (behind === turn) behind = undefined
      if (!hasLeft) void takeParsed(message)
      settled(undefined)
    })
    behind = turn
  }
  app.join(conversation)
  return {
    conversation,
    takeParsed,
    take(message: Uint8Array | string | 'oversize'): void {
      if (message !== 'oversize' && isLongWork(message.length)) {
        takeLater(() => finishInTurns(readMessageSteps(message)))
        return
      }
      const parsed = message === 'oversize' ? tooLong() : readMessage(message)
      if (behind) takeLater(() => parsed)
      else void takeParsed(parsed)
    },
    /** Pending while messages wait for other work. */
    get behind() {
      return behind
    },
    /** Resolves once no request is being answered. */
    idle(): Promise<void> {
      if (working === 0) return Promise.resolve()
      return new Promise((resolve) => {
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

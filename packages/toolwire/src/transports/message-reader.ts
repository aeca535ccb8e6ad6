import { finishInTurns } from '../bounds/steps.js'
import { isLongWork, yieldToEventLoop } from '../bounds/yield-when-busy.js'
import { type ParsedMessage, readMessage, readMessageSteps } from '../jsonrpc/read-message.js'

/** Delivers messages in their order. Other work comes while a long one is read, and before it is delivered. */
export function messageReader(deliver: (message: ParsedMessage, text?: Uint8Array | string) => void) {
  /** Settles when the messages that wait for other work have been delivered. */
  let behind: Promise<void> | undefined
  const deliverLater = (read: () => ParsedMessage | Promise<ParsedMessage>, text?: Uint8Array | string): void => {
    const turn = (behind ?? Promise.resolve()).then(read).then(async (message) => {
      await yieldToEventLoop()
      if (behind === turn) behind = undefined
      deliver(message, text)
    })
    behind = turn
  }
  /** Delivers a message that was read elsewhere, after those before it. */
  const take = (message: ParsedMessage, text?: Uint8Array | string): void => {
    if (behind) deliverLater(() => message, text)
    else deliver(message, text)
  }
  return {
    take,
    read(text: Uint8Array | string): void {
      if (isLongWork(text.length)) deliverLater(() => finishInTurns(readMessageSteps(text)), text)
      else take(readMessage(text), text)
    },
    /** Pending while messages wait for other work. */
    get behind() {
      return behind
    },
  }
}

import { finishInTurns } from '../../../../bounds/steps.js'
import { isLongWork } from '../../../../bounds/yield-when-busy.js'
import { type ParsedMessage, readMessage, readMessageSteps, type SingleMessage } from '../../../../jsonrpc/read-message.js'
import { TransportError } from '../../../../peer/client-transport.js'
import { BodyBuffer } from '../../body-buffer.js'
import type { ResponseBody } from './response-body.js'

/** Receives the messages of one response, in order. */
export interface MessageReceiver {
  /** Throws a TransportError if there is no point in reading on. */
  take(message: SingleMessage): void
  /** True once the awaited message has been received. */
  readonly done: boolean
}

/** The permitted form of a response. */
export type ReplyForm = {
  /** Longest body or event, in bytes. */
  readonly limit: number
  /** True if several messages may come as one array. */
  readonly batches: boolean
}

function deliverMessages(message: ParsedMessage, receiver: MessageReceiver, batches: boolean): void {
  const isBatch = message.kind === 'batch'
  if (isBatch && !batches)
    throw new TransportError('garbage', 'The server sent a batch, which this revision does not have', { sent: true })
  for (const item of isBatch ? message.items : [message]) receiver.take(item)
}

/** Reads and delivers messages in order until the receiver has what it waits for. A long one is read in several turns of the event loop. */
export function deliverTexts(
  texts: readonly (Uint8Array | string)[],
  receiver: MessageReceiver,
  batches: boolean,
): void | Promise<void> {
  for (const [at, text] of texts.entries()) {
    if (receiver.done) return
    if (isLongWork(text.length)) return deliverLong(texts.slice(at), receiver, batches)
    deliverMessages(readMessage(text), receiver, batches)
  }
}

async function deliverLong(texts: readonly (Uint8Array | string)[], receiver: MessageReceiver, batches: boolean): Promise<void> {
  for (const text of texts) {
    const message = await finishInTurns(readMessageSteps(text))
    if (receiver.done) return
    deliverMessages(message, receiver, batches)
  }
}

/** Reads a response that is one JSON text. */
export function jsonReply(receiver: MessageReceiver, { limit, batches }: ReplyForm): ResponseBody {
  const gathered = new BodyBuffer(limit)
  return {
    push(chunk) {
      if (!gathered.add(chunk)) throw new TransportError('too-large', `The response exceeds ${limit} bytes.`, { sent: true })
    },
    end() {
      const demandAnswer = () => {
        if (!receiver.done) throw new TransportError('garbage', 'The response does not answer the request.', { sent: true })
      }
      const delivering = deliverTexts([gathered.take()], receiver, batches)
      return delivering ? delivering.then(demandAnswer) : demandAnswer()
    },
  }
}

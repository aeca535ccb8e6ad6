import { type ParsedMessage, readMessage, type SingleMessage } from '../../../../jsonrpc/read-message.js'
import { TransportError } from '../../../../peer/client-transport.js'
import { BodyBuffer } from '../../body-buffer.js'
import type { ResponseBody } from './response-body.js'

/** Takes the messages of one answer, in order. */
export interface MessageReceiver {
  /** Throws a TransportError when there is no point in reading on. */
  take(message: SingleMessage): void
  /** It has what it waited for. */
  readonly done: boolean
}

/** How answers may look. */
export type ReplyForm = {
  /** Longest body or event, in bytes. */
  readonly limit: number
  /** Several messages may come as one array. */
  readonly batches: boolean
}

/** Hands over what was read, be it one message or several. */
export function deliverMessages(message: ParsedMessage, receiver: MessageReceiver, batches: boolean): void {
  const isBatch = message.kind === 'batch'
  if (isBatch && !batches)
    throw new TransportError('garbage', 'The server sent a batch, which this revision does not have', { sent: true })
  for (const item of isBatch ? message.items : [message]) receiver.take(item)
}

/** An answer that is one JSON text. */
export function jsonReply(receiver: MessageReceiver, { limit, batches }: ReplyForm): ResponseBody {
  const gathered = new BodyBuffer(limit)
  return {
    push(chunk) {
      if (!gathered.add(chunk)) throw new TransportError('too-large', 'The answer is longer than we take', { sent: true })
    },
    end() {
      deliverMessages(readMessage(gathered.take()), receiver, batches)
      if (!receiver.done) throw new TransportError('garbage', 'What came is no answer to the request', { sent: true })
    },
  }
}

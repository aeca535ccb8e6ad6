import type { ParsedMessage, SingleMessage } from '../../../../jsonrpc/read-message.js'
import { TransportError } from '../../../../peer/client-transport.js'

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
export function deliverMessages(
  message: ParsedMessage,
  recipient: MessageReceiver,
  { batches }: Pick<ReplyForm, 'batches'>,
): void {
  const isBatch = message.kind === 'batch'
  if (isBatch && !batches)
    throw new TransportError('garbage', 'The server sent a batch, which this revision does not have', { sent: true })
  for (const item of isBatch ? message.items : [message]) recipient.take(item)
}

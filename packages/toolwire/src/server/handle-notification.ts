import { isId, type Notification } from '../jsonrpc/message.js'
import type { Conversation } from '../peer/conversation.js'

/** Handles a notification. It never answers, not even to an invalid one. */
export function handleNotification({ method, params }: Notification, conversation: Conversation): void {
  if (method === 'notifications/initialized') conversation.ready = conversation.peerInfo !== undefined
  if (method === 'notifications/cancelled' && isId(params?.requestId)) {
    conversation.unqueue(params.requestId)
    conversation.request(params.requestId)?.cancel(new CancelledByClient(params.reason))
  }
}

/** The client no longer wants the answer. */
class CancelledByClient extends Error {
  override name = 'Cancelled'

  /** The reason is a stranger's text that ends in logs: no line breaks, no terminal sequences, not long. */
  constructor(reason: unknown) {
    super(
      typeof reason === 'string' && reason
        ? reason.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').slice(0, 200)
        : 'Cancelled by the client',
    )
  }
}

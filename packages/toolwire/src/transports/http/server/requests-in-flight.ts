// Requests without a session that are being answered, so that a separate `notifications/cancelled` finds them.
import type { Bag, BagItem } from '../../../bounds/bag.js'
import type { Id } from '../../../jsonrpc/message.js'
import type { Conversation } from '../../../peer/conversation.js'
import { clientAddress } from './access/client-address.js'
import type { HttpExchange } from './http-exchange.js'
import type { Post } from './message-router.js'

export type InFlightEntry = BagItem & { readonly conversation: Conversation; readonly exchange: HttpExchange }

/**
 * Finds the conversation with the request to cancel. Strangers use the same ids, so an anonymous caller's request must be the only one
 * with that id from its address, and no other client may have that address.
 */
export function conversationInFlight(entries: Bag<InFlightEntry>, requestId: Id, by: Post): Conversation | undefined {
  const { caller } = by
  const isOwn = ({ conversation, exchange }: InFlightEntry): boolean =>
    conversation.caller.id === caller.id && (!caller.anonymous || sameClient(exchange, by.exchange))
  const matching = entries.all().filter((entry) => entry.conversation.knows(requestId) && isOwn(entry))
  return matching.length === 1 ? matching[0]?.conversation : undefined
}

function sameClient(one: HttpExchange, other: HttpExchange): boolean {
  const address = clientAddress(one)
  return address !== undefined && address === clientAddress(other)
}

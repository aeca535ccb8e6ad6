import { Bag, type BagItem } from '../../../bounds/bag.js'
import type { Id } from '../../../jsonrpc/message.js'
import type { Conversation } from '../../../peer/conversation.js'
import type { HttpExchange } from './http-exchange.js'

type InFlightEntry = BagItem & { readonly conversation: Conversation; readonly exchange: HttpExchange }

/** Requests without a session that are being answered, so that a separate `notifications/cancelled` finds its own. */
export class InFlight {
  readonly #entries = new Bag<InFlightEntry>()

  add(conversation: Conversation, exchange: HttpExchange): InFlightEntry {
    const entry = { conversation, exchange, place: 0 }
    this.#entries.add(entry)
    return entry
  }

  delete(entry: InFlightEntry): void {
    this.#entries.delete(entry)
  }

  /** Strangers may use the same ids, so one that is not known must be the only one of its address. */
  find({ caller }: Conversation, requestId: Id, remote: string | undefined): Conversation | undefined {
    const own = ({ conversation, exchange }: InFlightEntry) =>
      conversation.caller.id === caller.id && (!caller.anonymous || exchange.remote === remote)
    const matching = this.#entries.all().filter((entry) => own(entry) && entry.conversation.request(requestId))
    return matching.length === 1 ? matching[0]?.conversation : undefined
  }
}

import type { Id } from '../../jsonrpc/message.js'
import type { Conversation } from '../../peer/conversation.js'
import type { Exchange } from './exchange.js'

type Entry = { readonly conversation: Conversation; readonly exchange: Exchange }

/** Requests without a session that are being answered, so that a separate `notifications/cancelled` finds its own. */
export class InFlight {
  readonly #byCaller = new Map<string, Set<Entry>>()

  /** Gives back how to take it out again. */
  add(conversation: Conversation, exchange: Exchange): () => void {
    const { id } = conversation.caller
    const entries = this.#byCaller.get(id) ?? new Set<Entry>()
    const entry = { conversation, exchange }
    this.#byCaller.set(id, entries.add(entry))
    return () => {
      entries.delete(entry)
      if (entries.size === 0) this.#byCaller.delete(id)
    }
  }

  /** Strangers may use the same ids, so one that is not known must be the only one of its address. */
  find({ caller }: Conversation, requestId: Id, remote: string | undefined): Conversation | undefined {
    const matching: Conversation[] = []
    for (const entry of this.#byCaller.get(caller.id) ?? []) {
      if (entry.conversation.flight(requestId) && (!caller.anonymous || entry.exchange.remote === remote))
        matching.push(entry.conversation)
    }
    return matching.length === 1 ? matching[0] : undefined
  }
}

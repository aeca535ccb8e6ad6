// A request that says everything about itself: a conversation of its own, over when it is answered.
// spec 2026-07-28, basic/transports/streamable-http
import { Bag, type BagItem } from '../../../bounds/bag.js'
import type { Id, Request } from '../../../jsonrpc/message.js'
import type { SingleMessage } from '../../../jsonrpc/read-message.js'
import type { Answer, Application } from '../../../peer/application.js'
import { Conversation } from '../../../peer/conversation.js'
import { protocolCodes } from '../../../revisions/protocol-codes.js'
import type { Caller } from '../../../tools/caller.js'
import type { HttpExchange } from './http-exchange.js'
import { PlainReply } from './plain-reply.js'
import type { StreamRules } from './streams/event-stream.js'

type PerRequestContext = { readonly app: Application; readonly inFlight: InFlight; readonly rules: StreamRules }
type Message = Extract<SingleMessage, { kind: 'request' }>

export function answerPerRequest(
  { app, inFlight, rules }: PerRequestContext,
  exchange: HttpExchange,
  message: Message,
  caller: Caller,
): void | Promise<void> {
  const conversation = new Conversation(caller)
  conversation.httpRequest = exchange
  const reply = new PlainReply(exchange, rules, isLongLived(message.request) ? caller.expiresAt : undefined)
  const answer = app.receive(message, conversation, reply)
  if (!(answer instanceof Promise)) return reply.finish(answer, statusOf(app, answer))
  const entry = inFlight.add(conversation, exchange)
  // Closing the reply is how these clients cancel. spec 2026-07-28, basic/transports/streamable-http#cancellation
  exchange.onGone(() => conversation.cancelAll(new ClientGone()))
  return answer.then((settled) => {
    inFlight.delete(entry)
    reply.finish(settled, statusOf(app, settled))
  })
}

/** Whether it stays open after what its caller was allowed when it came in. */
const isLongLived = (request: Request): boolean => request.method === 'subscriptions/listen'

export function statusOf(app: Application, answer: Answer | undefined): number {
  if (answer?.error === undefined) return 200
  if (answer.retryAfterMs !== undefined) return 429
  return answer.malformed ? 400 : statusOfError(app, answer.error)
}

/** Where no edition is served that says so, what is not served is still a bad request. spec 2025-11-25, basic/transports#protocol-version-header */
const statusOfError = ({ revisions: revisionSet }: Application, code: number): number =>
  revisionSet.perRequest[0]?.http.statusOf(code) ?? (ofVersions.includes(code) ? 400 : 200)

const ofVersions: readonly number[] = [protocolCodes.unsupportedVersion, protocolCodes.headerMismatch]

/** The client has closed its connection. */
class ClientGone extends Error {
  override name = 'ClientGone'
  constructor() {
    super('The client has closed its connection')
  }
}

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

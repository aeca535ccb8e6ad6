// A message that came by POST: what it says, which style of revision it belongs to, and what answers it.
import { isLongWork, yieldToEventLoop } from '../../../bounds/yield-when-busy.js'
import { isId } from '../../../jsonrpc/message.js'
import { type ParsedMessage, readMessage } from '../../../jsonrpc/read-message.js'
import type { Application } from '../../../peer/application.js'
import { Conversation } from '../../../peer/conversation.js'
import { protocolCodes } from '../../../revisions/protocol-codes.js'
import type { Caller } from '../../../tools/caller.js'
import { isInitialize, receiveMessageOrBatch } from '../../batch.js'
import type { LegacySse } from '../../sse-2024/server/legacy-sse.js'
import { answerPerRequest, InFlight, statusOf } from './answer-per-request.js'
import type { HttpExchange, ReceiveBody } from './http-exchange.js'
import { refuse, refuseAfterFault, refuseTooLarge } from './http-refusal.js'
import { PlainReply } from './plain-reply.js'
import type { SessionRoutes } from './sessions/session-routes.js'
import type { StreamRules } from './streams/event-stream.js'

type Notice = Extract<ParsedMessage, { kind: 'notification' }>

type Options = {
  readonly sessions: SessionRoutes | undefined
  readonly legacy: LegacySse | undefined
  readonly sessionless: boolean
  readonly bodyBytes: number
}

export class MessageRouter {
  readonly #app: Application
  readonly #rules: StreamRules
  readonly #sessions: SessionRoutes | undefined
  readonly #legacy: LegacySse | undefined
  readonly #sessionless: boolean
  readonly #bodyBytes: number
  readonly #inFlight = new InFlight()

  constructor(app: Application, rules: StreamRules, options: Options) {
    this.#app = app
    this.#rules = rules
    this.#sessions = options.sessions
    this.#legacy = options.legacy
    this.#sessionless = options.sessionless
    this.#bodyBytes = options.bodyBytes
  }

  /** Takes the body of a request. By callback: a promise for each body would cost more than reading it. */
  receiverOf(exchange: HttpExchange, caller: Caller): ReceiveBody {
    return (body) => {
      if (typeof body === 'object' && 'fault' in body)
        return body.fault === 'too-large' ? refuseTooLarge(exchange, this.#bodyBytes) : undefined
      try {
        const message = readMessage(body)
        const answered = isLongWork(body.length)
          ? yieldToEventLoop().then(() => this.#take(exchange, message, caller))
          : this.#take(exchange, message, caller)
        answered?.catch((thrown: unknown) => refuseAfterFault(exchange, thrown))
      } catch (thrown) {
        refuseAfterFault(exchange, thrown)
      }
    }
  }

  #take(exchange: HttpExchange, message: ParsedMessage, caller: Caller): void | Promise<void> {
    if (this.#legacy?.isMessage(exchange)) return this.#legacy.take(exchange, message, caller)
    const version = exchange.header('mcp-protocol-version')
    const { revisions } = this.#app
    if (message.kind === 'request' && revisions.isPerRequest(message.request, version)) {
      return answerPerRequest({ app: this.#app, inFlight: this.#inFlight, rules: this.#rules }, exchange, message, caller)
    }
    if (message.kind === 'notification' && revisions.isPerRequest(message.notification, version)) {
      return this.#notice(exchange, message, caller)
    }
    const token = this.#sessions && exchange.header('mcp-session-id')
    if (token !== undefined) return this.#sessions?.post(exchange, message, { token, caller })
    if (message.kind === 'invalid') return this.#answer(exchange, message, new Conversation(caller))
    if (!this.#versionServed(exchange)) return
    if (message.kind === 'notification' && (revisions.perRequest.length > 0 || this.#sessionless))
      return this.#notice(exchange, message, caller)
    if (isInitialize(message)) return this.#open(exchange, message, caller)
    return this.#withoutSession(exchange, message, caller)
  }

  #open(exchange: HttpExchange, message: ParsedMessage, caller: Caller): Promise<void> {
    if (this.#sessions && !this.#sessionless) return this.#sessions.open(exchange, message, caller)
    return this.#answer(exchange, message, new Conversation(caller))
  }

  /** Neither of a session nor self-describing, though it is no handshake. */
  #withoutSession(exchange: HttpExchange, message: ParsedMessage, caller: Caller): void | Promise<void> {
    const { revisions } = this.#app
    const id = message.kind === 'request' ? { id: message.request.id } : {}
    if (revisions.handshake.length === 0 && message.kind === 'request') {
      return refuse(exchange, {
        status: 400,
        code: protocolCodes.headerMismatch,
        message: 'The MCP-Protocol-Version header is missing',
        ...id,
      })
    }
    const revision = revisions.find(exchange.header('mcp-protocol-version')) ?? revisions.assumedRevision
    if (!this.#sessionless || !revision) {
      return refuse(exchange, { status: 400, message: 'The Mcp-Session-Id header is missing; send initialize first', ...id })
    }
    const conversation = new Conversation(caller)
    conversation.peerInfo = { revision, capabilities: {}, clientInfo: undefined, logLevel: undefined }
    return this.#answer(exchange, message, conversation)
  }

  /** Answers a message that stands alone. */
  async #answer(exchange: HttpExchange, message: ParsedMessage, conversation: Conversation): Promise<void> {
    const reply = new PlainReply(exchange, this.#rules, undefined)
    const answer = await receiveMessageOrBatch(this.#app, message, conversation, reply)
    if (answer) reply.finish(answer, conversation.peerInfo && !answer.malformed ? 200 : statusOf(this.#app, answer))
    else if (message.kind === 'invalid')
      refuse(exchange, { status: 400, code: message.error.code, message: message.error.message })
    else if (message.kind === 'request') reply.finish(undefined, 200)
    else exchange.respond(202, {})
  }

  /** The one notification of interest here is a cancellation, which may come by a POST of its own. */
  #notice(exchange: HttpExchange, message: Notice, caller: Caller): undefined {
    const requestId = message.notification.params?.requestId
    const alone = new Conversation(caller)
    const about = isId(requestId) ? this.#inFlight.find(alone, requestId, exchange.remote) : undefined
    void this.#app.receive(message, about ?? alone, new PlainReply(exchange, this.#rules, undefined))
    exchange.respond(202, {})
  }

  /** Whether the version in the header is one of ours; if not, the answer is given here. */
  #versionServed(exchange: HttpExchange): boolean {
    const version = exchange.header('mcp-protocol-version')
    if (version === undefined || this.#app.revisions.find(version)) return true
    const { code, message, data } = this.#app.revisions.unsupported(version)
    refuse(exchange, { status: 400, code, message, data })
    return false
  }
}

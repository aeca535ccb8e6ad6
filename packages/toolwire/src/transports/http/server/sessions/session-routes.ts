// Requests of clients of older revisions about a session: begin it, post messages to it, listen to it, end it.
// spec 2025-11-25, basic/transports#session-management
import type { InvalidMessage, ParsedMessage } from '../../../../jsonrpc/read-message.js'
import type { Answer, Application } from '../../../../peer/application.js'
import { Conversation } from '../../../../peer/conversation.js'
import { otherReplicaOf } from '../../../../peer/replica-ids.js'
import type { Caller } from '../../../../tools/caller.js'
import { receiveMessageOrBatch } from '../../../batch.js'
import { checkAcceptsEvents } from '../check-media.js'
import type { HttpExchange } from '../http-exchange.js'
import { jsonHeaders, refuse, refuseInvalid } from '../http-refusal.js'
import { HttpReply } from '../http-reply.js'
import { forwardToReplicas } from '../replicas.js'
import type { EventStream, StreamRules } from '../streams/event-stream.js'
import type { StreamLimit } from '../streams/stream-limit.js'
import { HttpSession } from './http-session.js'
import { httpSessions } from './http-sessions.js'

export type SessionRoutes = ReturnType<typeof sessionRoutes>

export function sessionRoutes(app: Application, rules: StreamRules, takeStream: StreamLimit) {
  const sessions = httpSessions(app, rules)
  const { replicas: routes } = rules
  const receive = (message: ParsedMessage, session: HttpSession, reply: HttpReply) =>
    receiveMessageOrBatch(app, message, session.conversation, reply)

  /** The session that a request without a message names; if the caller has no such session, the request is refused here. */
  async function sessionOf(exchange: HttpExchange, caller: Caller): Promise<HttpSession | undefined> {
    const token = exchange.header('mcp-session-id')
    const session = token === undefined ? undefined : await sessions.find(token, caller)
    if (session) return checkVersionHeader(exchange, session) ? session : undefined
    if (token === undefined) refuse(exchange, { status: 400, message: 'The Mcp-Session-Id header is missing' })
    else unknownSession(exchange)
    return undefined
  }

  /** Resumes a stream that another replica holds; false if none does. */
  async function resumeElsewhere(exchange: HttpExchange, lastEventId: string | undefined): Promise<boolean> {
    const owner = exchange.forwarded ? undefined : otherReplicaOf(lastEventId, rules.replica)
    return routes && owner !== undefined ? routes.forward({ exchange }, owner) : false
  }

  async function refuseUnread(exchange: HttpExchange, message: InvalidMessage, conversation: Conversation): Promise<void> {
    const answer = await app.receive(message, conversation, silent)
    if (answer) exchange.respond(400, jsonHeaders, answer.body)
    else refuseInvalid(exchange, message)
  }

  return {
    /** Answers the handshake, whose result goes into the token of the session. */
    async open(exchange: HttpExchange, message: ParsedMessage, caller: Caller): Promise<void> {
      const session = new HttpSession(caller, rules)
      const reply = new HttpReply(exchange, rules, { session })
      const answer = await receive(message, session, reply)
      const { peerInfo } = session
      if (peerInfo?.revision.http.sessions)
        exchange.commonHeaders = { ...exchange.commonHeaders, 'mcp-session-id': await sessions.admit(session, peerInfo) }
      reply.finish(answer, statusOf(answer))
    },

    async post(exchange: HttpExchange, message: ParsedMessage, token: string, caller: Caller): Promise<void> {
      // A forwarded notification or response concerns work in progress here, or is not for this replica.
      const isNotice = exchange.forwarded && message.kind !== 'request'
      const found = isNotice ? sessions.opened(token, caller) : sessions.find(token, caller)
      const session = found instanceof Promise ? await found : found
      if (message.kind === 'invalid') return refuseUnread(exchange, message, session?.conversation ?? new Conversation(caller))
      if (!session) return unknownSession(exchange)
      if (!checkVersionHeader(exchange, session)) return
      if (routes && message.kind !== 'request' && !exchange.forwarded) {
        const { conversation } = session
        if (await forwardToReplicas(message, exchange, { routes, conversation, self: rules.replica })) return
      }
      // A task may go on for a day after this check of its caller.
      const isLongLived = message.kind === 'request' && message.request.method === 'tasks/result'
      const reply = new HttpReply(exchange, rules, { session, caller, expiresAt: isLongLived ? caller.expiresAt : undefined })
      const answer = await receive(message, session, reply)
      if (answer || expectsAnswer(message)) reply.finish(answer, statusOf(answer))
      else exchange.respond(202, {})
    },

    async get(exchange: HttpExchange, caller: Caller): Promise<void> {
      const refused = checkAcceptsEvents(exchange)
      if (refused) return refuse(exchange, refused)
      const session = await sessionOf(exchange, caller)
      if (!session) return
      const release = takeStream(caller)
      if (typeof release !== 'function') return refuse(exchange, release)
      // Another replica may have received `notifications/initialized`.
      if (routes) session.conversation.ready = true
      const events = await openStream(session, exchange, caller).catch((thrown: unknown) => {
        release()
        throw thrown
      })
      if (events) {
        sessions.listening()
        return events.onClose(release)
      }
      if (await resumeElsewhere(exchange, exchange.header('last-event-id')).finally(release)) return
      refuse(exchange, { status: 400, message: 'The event in Last-Event-ID is unknown or has expired' })
    },

    async delete(exchange: HttpExchange, caller: Caller): Promise<void> {
      const session = await sessionOf(exchange, caller)
      if (!session) return
      await sessions.end(session)
      if (!exchange.forwarded) await routes?.tell({ exchange })
      exchange.respond(204, {})
    },

    close: () => sessions.close(),
  }
}

/** Opens a stream, or resumes one; undefined if the event to resume after is unknown. */
async function openStream(session: HttpSession, exchange: HttpExchange, { expiresAt }: Caller): Promise<EventStream | undefined> {
  const lastEventId = exchange.header('last-event-id')
  return lastEventId === undefined ? session.listen(exchange, expiresAt) : session.resume(exchange, lastEventId, expiresAt)
}

const statusOf = (answer: Answer | undefined): number => (answer?.malformed ? 400 : 200)

const silent = { send: () => {}, header: undefined, hangUp: undefined, twoWay: false }

/** Messages with only notifications and responses expect no answer. */
const expectsAnswer = (message: ParsedMessage): boolean =>
  message.kind === 'batch' ? message.items.some(expectsAnswer) : message.kind === 'request'

/** True if the version in the header fits the session; if not, the request is refused here. */
function checkVersionHeader(exchange: HttpExchange, session: HttpSession): boolean {
  const version = exchange.header('mcp-protocol-version')
  if (version === undefined || version === session.peerInfo?.revision.version) return true
  refuse(exchange, { status: 400, message: 'MCP-Protocol-Version differs from the version of the session' })
  return false
}

const unknownSession = (exchange: HttpExchange) =>
  refuse(exchange, { status: 404, message: 'There is no such session; send initialize to begin a new one' })

// Routes a posted message by its content and by the style of its revision.
import type { Bag } from '../../../bounds/bag.js'
import { finishInTurns } from '../../../bounds/steps.js'
import { isLongWork, yieldToEventLoop } from '../../../bounds/yield-when-busy.js'
import { isId } from '../../../jsonrpc/message.js'
import { type ParsedMessage, readMessage, readMessageSteps } from '../../../jsonrpc/read-message.js'
import type { Application } from '../../../peer/application.js'
import { Conversation } from '../../../peer/conversation.js'
import { protocolCodes } from '../../../revisions/protocol-codes.js'
import type { Caller } from '../../../tools/caller.js'
import { isInitialize, receiveMessageOrBatch } from '../../batch.js'
import type { LegacySse } from '../../sse-2024/server/legacy-sse.js'
import { answerPerRequest, statusOf } from './answer-per-request.js'
import type { HttpExchange, ReceiveBody } from './http-exchange.js'
import { refuse, refuseAfterFault, refuseInvalid, refuseTooLarge, refuseWhileClosing } from './http-refusal.js'
import { HttpReply } from './http-reply.js'
import { foreignCancellation, forwardedRequest, holdsRequest, otherReplicaFor } from './replicas.js'
import { conversationInFlight, type InFlightEntry } from './requests-in-flight.js'
import type { SessionRoutes } from './sessions/session-routes.js'
import type { StreamRules } from './streams/event-stream.js'

type Notice = Extract<ParsedMessage, { kind: 'notification' }>
type RequestMessage = Extract<ParsedMessage, { kind: 'request' }>

/** The services and settings of one endpoint. */
export type MessageRoutes = {
  readonly app: Application
  readonly rules: StreamRules
  /** Undefined if no served revision has sessions. */
  readonly sessions: SessionRoutes | undefined
  readonly legacy: LegacySse | undefined
  readonly sessionless: boolean
  readonly isClosing: () => boolean
  /** Requests without a session that are being answered. */
  readonly inFlight: Bag<InFlightEntry>
}

export type Post = { readonly exchange: HttpExchange; readonly caller: Caller }

/** Receives the body of a request by callback, because a promise for each body would cost more than reading it. */
export function bodyReceiver(routes: MessageRoutes, post: Post, release: (() => void) | undefined): ReceiveBody {
  const { exchange } = post
  return (body) => {
    if (typeof body === 'object' && 'fault' in body) {
      if (body.fault === 'too-large') refuseTooLarge(exchange, routes.rules.limits.bodyBytes)
      return release?.()
    }
    try {
      const route = (message: ParsedMessage) => routeMessage(routes, post, message)
      const answered = isLongWork(body.length) ? readAlone(body).then(route) : route(readMessage(body))
      if (!answered) return release?.()
      const over = answered.catch((thrown: unknown) => refuseAfterFault(exchange, thrown))
      if (release) void over.then(release)
    } catch (thrown) {
      refuseAfterFault(exchange, thrown)
      release?.()
    }
  }
}

/** Reads a long message in several turns of the event loop, and lets it be used in another. */
async function readAlone(body: Uint8Array | string): Promise<ParsedMessage> {
  const message = await finishInTurns(readMessageSteps(body))
  await yieldToEventLoop()
  return message
}

function routeMessage(routes: MessageRoutes, post: Post, message: ParsedMessage): void | Promise<void> {
  const { exchange, caller } = post
  const { legacy, rules } = routes
  if (routes.isClosing() && holdsRequest(message))
    return refuseWhileClosing(exchange, message.kind === 'request' ? message.request.id : undefined)
  if (legacy?.isMessage(exchange)) return legacy.take(exchange, message, caller)
  if (rules.replicas && message.kind === 'request' && !exchange.forwarded) {
    const owner = otherReplicaFor(message, rules.replica)
    if (owner !== undefined) return forwardOrAnswer(routes, post, message, owner)
  }
  return routeHere(routes, post, message)
}

/** Forwards a request to the replica that it concerns. If that replica is gone, this one answers. */
async function forwardOrAnswer(routes: MessageRoutes, post: Post, message: RequestMessage, owner: string): Promise<void> {
  const request = forwardedRequest(post.exchange, message)
  if (!(await routes.rules.replicas?.forward(request, owner))) await routeHere(routes, post, message)
}

function routeHere(routes: MessageRoutes, post: Post, message: ParsedMessage): void | Promise<void> {
  const { exchange, caller } = post
  const { app, sessions, sessionless } = routes
  const version = exchange.header('mcp-protocol-version')
  if (message.kind === 'request' && app.revisions.isPerRequest(message.request, version))
    return answerPerRequest(routes, post, message)
  if (message.kind === 'notification' && app.revisions.isPerRequest(message.notification, version))
    return takeNotice(routes, post, message)
  const token = sessions && exchange.header('mcp-session-id')
  if (token !== undefined) return sessions?.post(exchange, message, token, caller)
  if (message.kind === 'invalid') return answerAlone(routes, post, message)
  if (version !== undefined && !app.revisions.find(version)) {
    const { code, message: reason, data } = app.revisions.unsupported(version)
    return refuse(exchange, { status: 400, code, message: reason, data })
  }
  if (message.kind === 'notification' && (app.revisions.perRequest.length > 0 || sessionless))
    return takeNotice(routes, post, message)
  if (!isInitialize(message)) return answerWithoutSession(routes, post, message)
  return sessions && !sessionless ? sessions.open(exchange, message, caller) : answerAlone(routes, post, message)
}

/** Answers a message without a session that neither describes itself nor is a handshake. */
function answerWithoutSession(routes: MessageRoutes, post: Post, message: ParsedMessage): void | Promise<void> {
  const { exchange, caller } = post
  const { revisions } = routes.app
  const id = message.kind === 'request' ? message.request.id : undefined
  const refuseRequest = (why: string, code?: number) => refuse(exchange, { status: 400, message: why, code, id })
  if (revisions.handshake.length === 0 && message.kind === 'request')
    return refuseRequest('The MCP-Protocol-Version header is missing', protocolCodes.headerMismatch)
  const revision = revisions.find(exchange.header('mcp-protocol-version')) ?? revisions.assumedRevision
  if (!routes.sessionless || !revision) return refuseRequest('The Mcp-Session-Id header is missing; send initialize first')
  const conversation = new Conversation(caller)
  conversation.peerInfo = { revision, capabilities: {}, clientInfo: undefined, logLevel: undefined }
  if (message.kind === 'batch' && revision.batching)
    for (const item of message.items) if (item.kind === 'notification') passNotice(routes, post, item)
  return answerAlone(routes, post, message, conversation)
}

async function answerAlone(
  { app, rules, inFlight }: MessageRoutes,
  { exchange, caller }: Post,
  message: ParsedMessage,
  conversation = new Conversation(caller),
): Promise<void> {
  const reply = new HttpReply(exchange, rules)
  const entry: InFlightEntry = { conversation, exchange, place: 0 }
  inFlight.add(entry)
  // These clients cancel by a notification alone. spec 2025-11-25, basic/transports#sending-messages-to-the-server
  const answer = await Promise.resolve(receiveMessageOrBatch(app, message, conversation, reply)).finally(() =>
    inFlight.delete(entry),
  )
  if (answer) reply.finish(answer, conversation.peerInfo && !answer.malformed ? 200 : statusOf(app, answer))
  else if (message.kind === 'invalid') refuseInvalid(exchange, message)
  else if (holdsRequest(message)) reply.finish(undefined, 200)
  else exchange.respond(202, {})
}

/** Takes a notification without a session. */
function takeNotice(routes: MessageRoutes, post: Post, message: Notice): void {
  passNotice(routes, post, message)
  post.exchange.respond(202, {})
}

/** Passes a notification to the request that it concerns. Only a cancellation matters, which comes by a POST of its own. */
function passNotice({ app, rules, inFlight }: MessageRoutes, post: Post, message: Notice): void {
  const { exchange, caller } = post
  const requestId = message.notification.params?.requestId
  const about = isId(requestId) ? conversationInFlight(inFlight, requestId, post) : undefined
  const { replicas } = rules
  const notice = replicas && !exchange.forwarded ? foreignCancellation(exchange, message, about) : undefined
  if (notice) void replicas?.tell(notice)
  void app.receive(message, about ?? new Conversation(caller), new HttpReply(exchange, rules))
}

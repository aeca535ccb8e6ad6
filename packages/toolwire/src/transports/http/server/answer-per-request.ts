// Requests that describe themselves: each is a conversation of its own, which ends with the answer.
// spec 2026-07-28, basic/transports/streamable-http
import type { SingleMessage } from '../../../jsonrpc/read-message.js'
import type { Answer, Application } from '../../../peer/application.js'
import { Conversation } from '../../../peer/conversation.js'
import { protocolCodes } from '../../../revisions/protocol-codes.js'
import { HttpReply } from './http-reply.js'
import type { MessageRoutes, Post } from './message-router.js'
import type { InFlightEntry } from './requests-in-flight.js'

export function answerPerRequest(
  { app, inFlight, rules }: MessageRoutes,
  { exchange, caller }: Post,
  message: Extract<SingleMessage, { kind: 'request' }>,
): void | Promise<void> {
  const conversation = new Conversation(caller)
  conversation.httpRequest = exchange
  // A subscription outlives this check of its caller, so it ends when the credentials expire.
  const isLongLived = message.request.method === 'subscriptions/listen'
  const reply = new HttpReply(exchange, rules, isLongLived ? { expiresAt: caller.expiresAt } : undefined)
  const answer = app.receive(message, conversation, reply)
  if (!(answer instanceof Promise)) return reply.finish(answer, statusOf(app, answer))
  const entry: InFlightEntry = { conversation, exchange, place: 0 }
  inFlight.add(entry)
  // Closing the reply is how these clients cancel. spec 2026-07-28, basic/transports/streamable-http#cancellation
  exchange.onGone(() => conversation.cancelAll(new ClientGone('The client has closed its connection')))
  return answer.then((settled) => {
    inFlight.delete(entry)
    reply.finish(settled, statusOf(app, settled))
  })
}

export function statusOf({ revisions }: Application, answer: Answer | undefined): number {
  if (answer?.error === undefined) return 200
  if (answer.retryAfterMs !== undefined) return 429
  if (answer.malformed) return 400
  // If no served revision maps errors to a status, an unsupported version is still a bad request.
  // spec 2025-11-25, basic/transports#protocol-version-header
  return revisions.perRequest[0]?.http.statusOf(answer.error) ?? (ofVersions.includes(answer.error) ? 400 : 200)
}

const ofVersions: readonly number[] = [protocolCodes.unsupportedVersion, protocolCodes.headerMismatch]

class ClientGone extends Error {
  override name = 'ClientGone'
}

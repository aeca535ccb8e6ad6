// Messages about work in progress at another replica of the same server: its question, its call or its stream. Ids name that replica;
// messages without such an id go to all replicas.
import { encodeJson, type Json } from '../../../json.js'
import {
  encodeErrorResponse,
  encodeNotification,
  encodeRequest,
  encodeResultResponse,
  type Id,
  isId,
} from '../../../jsonrpc/message.js'
import type { ParsedMessage, SingleMessage } from '../../../jsonrpc/read-message.js'
import type { Conversation } from '../../../peer/conversation.js'
import { otherReplicaOf } from '../../../peer/replica-ids.js'
import { metaKeys, metaOf } from '../../../revisions/meta-keys.js'
import type { HttpExchange } from './http-exchange.js'

/** A request to forward to another replica: its method, path and headers, with this body. */
export type ForwardedRequest = {
  readonly exchange: HttpExchange
  readonly body?: string
  /** True if the body holds a request: it may run twice if it is sent again. */
  readonly holdsRequest?: boolean
  /** True if answers come on another stream, and the response only says that the message was taken. */
  readonly isAnsweredOnStream?: boolean
  /** The id for an error, if the other replica does not answer. */
  readonly id?: Id
}

export const forwardedRequest = (exchange: HttpExchange, message: ParsedMessage): ForwardedRequest => ({
  ...{ exchange, body: textOf(message), holdsRequest: holdsRequest(message) },
  ...(message.kind === 'request' && { id: message.request.id }),
})

export const holdsRequest = (message: ParsedMessage): boolean =>
  message.kind === 'request' || (message.kind === 'batch' && message.items.some(({ kind }) => kind === 'request'))

export interface ReplicaRoutes {
  /** Lets that replica answer, and resolves when it has; false if there is no such replica, and nothing was answered. */
  forward(request: ForwardedRequest, to: string): Promise<boolean>
  /** Sends a message that needs no answer to that replica, or to all. Resolves when they have it or cannot be reached; never rejects. */
  tell(request: ForwardedRequest, to?: string): Promise<void>
}

export function otherReplicaFor(
  { request: { method, params } }: Extract<SingleMessage, { kind: 'request' }>,
  self: string | undefined,
): string | undefined {
  if (params === undefined) return undefined
  if (params.requestState !== undefined) return otherReplicaOf(params.requestState, self)
  return method.startsWith('tasks/') ? otherReplicaOf(params.taskId, self) : undefined
}

/** As much of a reason as the cancelled call is told. */
const longestReason = 200
const longestVersion = 64

/**
 * The notice for other replicas if the message cancels a request that is not being answered here. It holds only what they use, because it
 * may outlast the request, whose size is reserved.
 */
export function foreignCancellation(
  exchange: HttpExchange,
  message: ParsedMessage,
  conversation: Conversation | undefined,
): ForwardedRequest | undefined {
  if (message.kind !== 'notification' || message.notification.method !== 'notifications/cancelled') return undefined
  const { params } = message.notification
  const { requestId, reason } = params ?? {}
  if (!isId(requestId) || conversation?.knows(requestId)) return undefined
  const version = metaOf(params)?.[metaKeys.protocolVersion]
  const used = {
    requestId,
    // The other replica would refuse half of a surrogate pair.
    ...(typeof reason === 'string' && { reason: reason.slice(0, longestReason).toWellFormed() }),
    ...(typeof version === 'string' && {
      _meta: { [metaKeys.protocolVersion]: version.slice(0, longestVersion).toWellFormed() },
    }),
  }
  return { exchange, body: encodeNotification('notifications/cancelled', used) }
}

/** Passes messages of a session on to the replicas that they concern. True if another replica has answered. */
export async function forwardToReplicas(
  message: ParsedMessage,
  exchange: HttpExchange,
  { routes, conversation, self }: { routes: ReplicaRoutes; conversation: Conversation; self: string | undefined },
): Promise<boolean> {
  if (message.kind === 'response') {
    const owner = otherReplicaOf(message.response.id, self)
    return owner !== undefined && routes.forward(forwardedRequest(exchange, message), owner)
  }
  const told: Promise<void>[] = []
  for (const item of message.kind === 'batch' ? message.items : [message]) {
    const owner = item.kind === 'response' ? otherReplicaOf(item.response.id, self) : undefined
    const notice = foreignCancellation(exchange, item, conversation)
    if (owner !== undefined) told.push(routes.tell(forwardedRequest(exchange, item), owner))
    else if (notice) void routes.tell(notice)
  }
  // The size of the request stays reserved until its responses have been passed on.
  await Promise.all(told)
  return false
}

/** The text of a message, as far as the message is valid. */
function textOf(message: ParsedMessage): string {
  switch (message.kind) {
    case 'batch':
      return `[${message.items.map(textOf).join(',')}]`
    case 'request':
      return encodeRequest(message.request.id, message.request.method, message.request.params)
    case 'notification':
      return encodeNotification(message.notification.method, message.notification.params)
    case 'response': {
      const { response } = message
      if ('error' in response) return encodeErrorResponse(response.id, response.error)
      return encodeResultResponse(response.id ?? '', encodeJson(response.result as Json))
    }
    case 'invalid':
      return 'null'
  }
}

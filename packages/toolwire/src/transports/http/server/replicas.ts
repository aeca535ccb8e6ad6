// Requests about something that another replica of the same server has under way: a question that it has asked, a call that it runs, a
// stream that it holds. Ids say which replica that is; what has no such id is told to all of them.
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
import type { HttpExchange } from './http-exchange.js'

/** A request as it goes on to another replica: its method, path and headers, and this body. */
export type ForwardedRequest = {
  readonly exchange: HttpExchange
  readonly body?: string
  /** What an error is to be about, where the other replica does not answer. */
  readonly id?: Id
}

/** The ways to the other replicas. */
export interface ReplicaRoutes {
  /** Has that replica answer, and resolves when it has; false if there is no such replica, and nothing has been answered. */
  forward(request: ForwardedRequest, to: string): Promise<boolean>
  /** Tells that replica, or all of them, what needs no answer. Resolves when they have heard of it or cannot be reached; never rejects. */
  tell(request: ForwardedRequest, to?: string): Promise<void>
}

/** The other replica that a request is for. */
export function otherReplicaFor(
  { request: { method, params } }: Extract<SingleMessage, { kind: 'request' }>,
  self: string | undefined,
): string | undefined {
  if (params === undefined) return undefined
  if (params.requestState !== undefined) return otherReplicaOf(params.requestState, self)
  return method.startsWith('tasks/') ? otherReplicaOf(params.taskId, self) : undefined
}

/** Whether it cancels a request that is not being answered here. */
export function isForeignCancellation(message: ParsedMessage, conversation: Conversation | undefined): boolean {
  if (message.kind !== 'notification' || message.notification.method !== 'notifications/cancelled') return false
  const requestId = message.notification.params?.requestId
  return isId(requestId) && !conversation?.knows(requestId)
}

/** Passes on what was said in a session to another replica than the one that it is about. True if that one has answered. */
export async function passOn(
  message: ParsedMessage,
  exchange: HttpExchange,
  { routes, conversation, self }: { routes: ReplicaRoutes; conversation: Conversation; self: string | undefined },
): Promise<boolean> {
  if (message.kind === 'response') {
    const owner = otherReplicaOf(message.response.id, self)
    return owner !== undefined && routes.forward({ exchange, body: textOf(message) }, owner)
  }
  for (const item of message.kind === 'batch' ? message.items : [message]) {
    const owner = item.kind === 'response' ? otherReplicaOf(item.response.id, self) : undefined
    if (owner !== undefined || isForeignCancellation(item, conversation))
      void routes.tell({ exchange, body: textOf(item) }, owner)
  }
  return false
}

/** A message as it came, as far as it can be taken. */
export function textOf(message: ParsedMessage): string {
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

// subscriptions/listen: a request that stays open and delivers the requested changes. spec 2026-07-28, basic/patterns/subscriptions

import { longestTimer } from '../../bounds/longest-timer.js'
import { isObject, type Json, type JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import { encodeNotification, idAsJson } from '../../jsonrpc/message.js'
import { metaKeys } from '../../revisions/meta-keys.js'
import { grantedUris } from '../reads/resources.js'
import type { RequestContext } from '../request-context.js'
import { supportsTasks, tasksRequired } from '../tasks/task-view.js'
import type { ChangeFilter, ChangeSubscription, ListName } from './change-notifier.js'

const mostNamed = 1_000

const memberOf = (list: ListName) => `${list}ListChanged`

/** Resolves when this side ends the subscription. When the client does, the exchange is over without an answer. */
export async function openSubscription(x: RequestContext): Promise<JsonObject> {
  const { app, incoming, caller } = x
  const { id } = x.request
  const release = app.openSubscriptions.take(caller)
  let subscription: ChangeSubscription | undefined
  let expiry: ReturnType<typeof setTimeout> | undefined
  let close!: () => void
  const closed = new Promise<void>((resolve) => {
    close = () => {
      if (subscription) app.changes.unsubscribe(subscription)
      release()
      resolve()
    }
  })
  // The client may cancel it while its filter is read.
  incoming.onCancel = close
  incoming.endless = true
  const tag: JsonObject = { [metaKeys.subscriptionId]: idAsJson(id) }
  try {
    const filter = await filterOf(x)
    x.keepOnly({})
    if (incoming.cancelled) return {}
    // The acknowledgement is the first message that carries the id, so nothing may be announced before it.
    const granted = { _meta: tag, notifications: grantedFilter(filter) }
    x.reply.send(encodeNotification('notifications/subscriptions/acknowledged', granted))
    subscription = { id, caller, revision: x.revision, filter, send: x.reply.send, close }
    app.changes.subscribe(subscription)
    // The subscription ends when the caller's token expires.
    if (caller.expiresAt !== undefined) expiry = setTimeout(close, Math.min(caller.expiresAt - Date.now(), longestTimer))
    await closed
  } finally {
    clearTimeout(expiry)
    release()
  }
  if (!x.reply.header && !incoming.cancelled) sayCancelled(x)
  return { _meta: tag }
}

/** On a pipe, which stays open, a notification after the answer also reports the end of the subscription. */
function sayCancelled({ reply, request }: RequestContext): void {
  const ended = { requestId: idAsJson(request.id), reason: 'The server ended the subscription' }
  setTimeout(() => reply.send(encodeNotification('notifications/cancelled', ended)), 0)
}

/** The part of the requested filter that is granted. */
async function filterOf(x: RequestContext): Promise<ChangeFilter> {
  const wish = x.params.notifications
  if (!isObject(wish)) throw new RpcError(codes.invalidParams, 'params.notifications must be an object')
  const { settings, catalog } = x.app
  const announced = (['tools', 'prompts', 'resources'] as const).filter((list) => !settings.fixed && catalog.serves[list])
  const lists = new Set(announced.filter((list) => wish[memberOf(list)] === true))
  const wanted = strings(wish.resourceSubscriptions, 'resourceSubscriptions')
  // A request that is refused for its tasks grants no URI, and so records none.
  const taskIds = new Set(await ownTasks(x, wish))
  return { lists, uris: await grantedUris(x, wanted), taskIds }
}

async function ownTasks(x: RequestContext, wish: JsonObject): Promise<string[]> {
  const wanted = strings(wish.taskIds, 'taskIds')
  if (wanted.length === 0) return []
  if (!supportsTasks(x.peerInfo)) throw tasksRequired(x.revision)
  const records = await Promise.all(wanted.map((taskId) => x.app.tasks.read(taskId)))
  return records.flatMap((record) => (record?.owner === x.caller.id ? [record.taskId] : []))
}

function strings(value: Json | undefined, name: string): string[] {
  if (value === undefined) return []
  if (!Array.isArray(value) || value.length > mostNamed || !value.every((one) => typeof one === 'string'))
    throw new RpcError(codes.invalidParams, `params.notifications.${name} must be a list of at most ${mostNamed} strings`)
  return value
}

function grantedFilter({ lists, uris, taskIds }: ChangeFilter): JsonObject {
  const granted: JsonObject = {}
  for (const list of lists) granted[memberOf(list)] = true
  if (uris.size > 0) granted.resourceSubscriptions = [...uris]
  if (taskIds.size > 0) granted.taskIds = [...taskIds]
  return granted
}

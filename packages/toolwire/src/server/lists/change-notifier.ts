// Notifies clients of changed lists and resources: unasked in the older revisions, on open subscriptions in the newest.

import { yieldWhenBusy } from '../../bounds/yield-when-busy.js'
import type { JsonObject } from '../../json.js'
import { encodeId, encodeNotification, type Id } from '../../jsonrpc/message.js'
import type { Conversation } from '../../peer/conversation.js'
import { metaKeys } from '../../revisions/meta-keys.js'
import type { Revision } from '../../revisions/revision.js'
import type { Caller } from '../../tools/caller.js'
import type { TaskRecord } from '../tasks/task-store.js'
import { taskChangedMessage } from '../tasks/task-view.js'
import type { SharedChange, SharedChanges } from './shared-changes.js'

export type ListName = 'tools' | 'prompts' | 'resources'
export type ChangeFilter = {
  readonly lists: ReadonlySet<ListName>
  readonly uris: ReadonlySet<string>
  readonly taskIds: ReadonlySet<string>
}

export type ChangeSubscription = {
  readonly id: Id
  readonly caller: Caller
  readonly revision: Revision
  readonly filter: ChangeFilter
  readonly send: (message: string) => void
  /** Ends the subscription from this side. */
  readonly close: () => void
}

/** Decides whether a caller can see anything of what has changed. */
type CanSee = (caller: Caller) => boolean

const leastMsBetween = 10

export class ChangeNotifier {
  readonly #conversations = new Set<Conversation>()
  readonly #subscriptions = new Set<ChangeSubscription>()
  readonly #due = new Map<ListName, CanSee[]>()
  readonly #watchListeners = new Set<() => void>()
  /** Lists that have changed at this replica, to be published to the others. */
  readonly #toShare = new Set<ListName>()
  #shared: { readonly publish: (change: SharedChange) => void; readonly listen: () => () => void } | undefined
  #unlisten: (() => void) | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #lastAt = Number.NEGATIVE_INFINITY
  #isClosed = false

  get watched(): ReadonlySet<string> {
    const uris = [...this.#conversations].flatMap(({ watched }) => [...watched])
    return new Set([...uris, ...[...this.#subscriptions].flatMap(({ filter }) => [...filter.uris])])
  }

  /** Calls back when the watched resources, or their watchers, have changed. */
  onWatch(listener: () => void): () => void {
    this.#watchListeners.add(listener)
    return () => void this.#watchListeners.delete(listener)
  }

  /** Publishes changes to other replicas from now on, and passes theirs to `listener` while any client is connected. */
  shareWith(changes: SharedChanges, listener: (change: SharedChange) => void): void {
    const name = crypto.randomUUID()
    this.#shared = {
      publish: (change) => changes.publish(name, change),
      listen: () => changes.listen(name, listener),
    }
    this.#listenIfNeeded()
  }

  #listenIfNeeded(): void {
    const isNeeded = this.#conversations.size + this.#subscriptions.size > 0
    if (isNeeded && this.#shared) this.#unlisten ??= this.#shared.listen()
    if (isNeeded) return
    this.#unlisten?.()
    this.#unlisten = undefined
  }

  watchChanged(): void {
    for (const listener of this.#watchListeners) listener()
  }

  /** Adds a conversation, or notes that a known one watches other resources than before. */
  join(conversation: Conversation): void {
    const isKnown = this.#conversations.has(conversation)
    this.#conversations.add(conversation)
    this.#listenIfNeeded()
    if (isKnown || conversation.watched.size > 0) this.watchChanged()
  }

  leave(conversation: Conversation): void {
    this.#conversations.delete(conversation)
    this.#listenIfNeeded()
    if (conversation.watched.size > 0) this.watchChanged()
  }

  get subscriptions(): ReadonlySet<ChangeSubscription> {
    return this.#subscriptions
  }

  subscribe(subscription: ChangeSubscription): void {
    this.#subscriptions.add(subscription)
    this.#listenIfNeeded()
    if (subscription.filter.uris.size > 0) this.watchChanged()
    if (this.#isClosed) subscription.close()
  }

  unsubscribe(subscription: ChangeSubscription): void {
    this.#subscriptions.delete(subscription)
    this.#listenIfNeeded()
    if (subscription.filter.uris.size > 0) this.watchChanged()
  }

  /** Notes that a list has changed, here or at another replica. A burst is announced once. */
  listChanged(list: ListName, sees: CanSee, isOurs = true): void {
    if (isOurs) this.#toShare.add(list)
    const due = this.#due.get(list)
    if (due) due.push(sees)
    else this.#due.set(list, [sees])
    this.#timer ??= setTimeout(() => this.#tellLists(), Math.max(0, this.#lastAt + leastMsBetween - performance.now()))
  }

  resourceUpdated(uri: string, mayRead: CanSee, isOurs = true): void {
    if (isOurs) this.#shared?.publish({ uri })
    const message = encodeNotification('notifications/resources/updated', { uri })
    for (const conversation of this.#conversations) {
      if (conversation.ready && conversation.watched.has(uri) && mayRead(conversation.caller)) conversation.push(message)
    }
    for (const { filter, caller, send, id } of this.#subscriptions) {
      if (filter.uris.has(uri) && mayRead(caller))
        send(tagged('notifications/resources/updated', id, `,"uri":${JSON.stringify(uri)}`))
    }
  }

  awaitsTask(taskId: string): boolean {
    return [...this.#subscriptions].some(({ filter }) => filter.taskIds.has(taskId))
  }

  taskChanged(record: TaskRecord, isOurs = true): void {
    if (isOurs) this.#shared?.publish({ taskId: record.taskId })
    for (const { filter, revision, send, id } of this.#subscriptions) {
      if (filter.taskIds.has(record.taskId))
        send(taskChangedMessage({ record, revision, meta: { [metaKeys.subscriptionId]: id } as JsonObject }))
    }
  }

  /** Ends all subscriptions, and later ones at once. */
  closeAll(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const subscription of this.#subscriptions) subscription.close()
  }

  #tellLists(): void {
    this.#timer = undefined
    this.#lastAt = performance.now()
    const due = [...this.#due]
    this.#due.clear()
    for (const list of this.#toShare) this.#shared?.publish({ list })
    this.#toShare.clear()
    for (const [list, sees] of due) void this.#tell(list, sees)
  }

  /** Checks many changes for many clients, and yields to other work meanwhile. */
  async #tell(list: ListName, changes: readonly CanSee[]): Promise<void> {
    const method = `notifications/${list}/list_changed`
    const message = encodeNotification(method)
    const before = untagged(method)
    const rest = yieldWhenBusy()
    const conversations = [...this.#conversations].map((one) => ({
      caller: one.caller,
      tell: () => void (one.ready && this.#conversations.has(one) && one.push(message)),
    }))
    const subscriptions = [...this.#subscriptions].filter(({ filter }) => filter.lists.has(list))
    const subscribers = subscriptions.map((one) => ({
      caller: one.caller,
      tell: () => void (this.#subscriptions.has(one) && one.send(`${before}${encodeId(one.id)}}}}`)),
    }))
    for (const { caller, tell } of [...conversations, ...subscribers])
      for (const sees of changes) {
        const pause = rest()
        if (pause) await pause
        if (!sees(caller)) continue
        tell()
        break
      }
  }
}

const untagged = (method: string) => `{"jsonrpc":"2.0","method":"${method}","params":{"_meta":{"${metaKeys.subscriptionId}":`
const tagged = (method: string, id: Id, more: string) => `${untagged(method)}${encodeId(id)}}${more}}}`

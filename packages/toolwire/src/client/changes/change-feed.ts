// Change notifications from the server: older revisions send them unasked, newer ones need a subscription.
import { isObject, type JsonObject } from '../../json.js'
import type { Notification } from '../../jsonrpc/message.js'
import { notifyListener } from '../../policy/notify-listener.js'
import type { Revision } from '../../revisions/revision.js'
import { isWithin } from '../../tools/uris/is-within.js'
import type { Change } from '../client.js'
import type { Connection } from '../connection/connection.js'
import type { ClientSession } from '../connection/session.js'
import { ClientSubscription, subscriptionIdOf } from './client-subscription.js'
import { reconnector } from './reconnector.js'

const lists = ['tools', 'prompts', 'resources'] as const

/** The list changes to subscribe to, by the capabilities that the server offers. */
const listsOf = (connection: Connection): JsonObject =>
  Object.fromEntries(lists.filter((list) => connection.offers(list)).map((list) => [`${list}ListChanged`, true]))

const quietMs = 100

type ChangeFeedOptions = {
  readonly connection: Connection
  /** False if a session is only opened again for requests of the client's owner. */
  readonly reconnect: boolean
  /** Called at once for every change, so that nothing stale is used. */
  readonly stale: (change: Change) => void
  readonly warn: (text: string) => void
}

/** A watched resource: the number of its watchers, and in newer revisions a subscription of its own. */
type WatchedResource = { count: number; subscription: ClientSubscription | undefined; begun: Promise<void> }

export class ChangeFeed {
  readonly #options: ChangeFeedOptions
  readonly #listeners = new Set<(change: Change) => void>()
  readonly #waiting = new Map<string, Change>()
  readonly #watched = new Map<string, WatchedResource>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #listening: ClientSubscription | undefined
  readonly #comingBack: ReturnType<typeof reconnector>
  readonly #open = new Map<unknown, ClientSubscription>()

  constructor(options: ChangeFeedOptions) {
    this.#options = options
    this.#comingBack = reconnector({ ...options, isAwaited: () => this.#isAwaited })
  }

  /** Handles notifications about changes; returns false for all others. */
  take(notification: Notification, { revision }: ClientSession): boolean {
    const { method, params } = notification
    const change = changeIn(method, params)
    if (!change && method !== 'notifications/subscriptions/acknowledged') return false
    const subscription = this.#open.get(subscriptionIdOf(notification))
    // Notifications of no open subscription are ignored.
    if (subscribesIn(revision) && !subscription) return true
    if (!change) subscription?.take(notification)
    else if (change.kind !== 'resource') this.#announce(change)
    else this.#resourceUpdated(change.uri, subscription)
    return true
  }

  /** The resource may be below the watched one. */
  #resourceUpdated(uri: string, subscription: ClientSubscription | undefined): void {
    let isWatched = false
    for (const [watched, { subscription: own }] of this.#watched) {
      if (subscription ? own !== subscription : !isWithin(uri, watched)) continue
      isWatched = true
      this.#options.stale({ kind: 'resource', uri: watched })
    }
    if (isWatched) this.#announce({ kind: 'resource', uri })
  }

  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    this.#listen()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stopListening()
    }
  }

  /** Watches a resource. All its watchers share one subscription. */
  async watch(uri: string): Promise<() => Promise<void>> {
    const watched = this.#watched.get(uri) ?? this.#beginWatching(uri)
    watched.count++
    await watched.begun
    let ended = false
    return async () => {
      if (ended) return
      ended = true
      if (--watched.count === 0) await this.#unsubscribe(uri, watched)
    }
  }

  /** Subscribes again, because subscriptions end with their session and the server may have been replaced. */
  sessionBegan(session: ClientSession): void {
    const { revision, number } = session
    if (subscribesIn(revision)) {
      if (this.#listeners.size > 0) this.#listen()
      for (const [uri, watched] of this.#watched) watched.subscription ??= this.#subscriptionTo(uri)
      return
    }
    this.#stopListening()
    for (const [uri, watched] of this.#watched) {
      watched.subscription?.close()
      watched.subscription = undefined
      void session.request('resources/subscribe', { uri }).catch((thrown) => this.#options.warn(String(thrown)))
    }
    // Anything may have changed while there was no session.
    if (number > 1) this.announceAll()
  }

  /**
   * Subscribes to the lists that are offered now. The earlier subscription ends when the new one is open, so that no change is missed, and
   * stays if the new one is refused.
   */
  offersChanged(): void {
    const earlier = this.#listening
    if (!earlier) return void this.#announceLists()
    const newer = this.#subscriptionToLists()
    this.#listening = newer
    const endEarlier = () => earlier.close()
    const keepEarlier = () => {
      if (this.#listening === newer) this.#listening = earlier
      else endEarlier()
    }
    void newer
      .begun()
      .then(endEarlier, keepEarlier)
      .then(() => this.#announceLists())
  }

  /** Without a session, the server sends no changes. Subscriptions are opened again by themselves. */
  sessionLost(): void {
    if (this.#options.reconnect && this.#isAwaited && !this.#subscribes) this.#comingBack.begin()
  }

  /** Anything may have changed. */
  announceAll(): void {
    this.#announceLists()
    for (const uri of this.#watched.keys()) this.#announce({ kind: 'resource', uri })
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#comingBack.stop()
    this.#stopListening()
    for (const { subscription } of this.#watched.values()) subscription?.close()
    this.#watched.clear()
    this.#listeners.clear()
  }

  get #subscribes(): boolean {
    return subscribesIn(this.#options.connection.revision)
  }

  #listen(): void {
    if (this.#listening || !this.#subscribes) return
    this.#listening = this.#subscriptionToLists()
  }

  #subscriptionToLists(): ClientSubscription {
    return this.#subscription(listsOf(this.#options.connection), () => this.#announceLists())
  }

  #stopListening(): void {
    this.#listening?.close()
    this.#listening = undefined
  }

  #beginWatching(uri: string): WatchedResource {
    const watched: WatchedResource = { count: 0, subscription: undefined, begun: Promise.resolve() }
    this.#watched.set(uri, watched)
    watched.begun = this.#subscribe(uri, watched).catch((thrown) => {
      if (this.#watched.get(uri) === watched) this.#watched.delete(uri)
      watched.subscription?.close()
      throw thrown
    })
    return watched
  }

  async #subscribe(uri: string, watched: WatchedResource): Promise<void> {
    if (!this.#subscribes) return void (await this.#options.connection.request('resources/subscribe', { uri }))
    watched.subscription = this.#subscriptionTo(uri)
    await watched.subscription.begun()
  }

  #subscriptionTo(uri: string): ClientSubscription {
    return this.#subscription({ resourceSubscriptions: [uri] }, () => this.#announce({ kind: 'resource', uri }))
  }

  #subscription(wish: JsonObject, reopened: () => void): ClientSubscription {
    const { connection, reconnect, warn } = this.#options
    return new ClientSubscription(connection, wish, { reconnect, reopened, warn, open: this.#open })
  }

  async #unsubscribe(uri: string, { subscription }: WatchedResource): Promise<void> {
    this.#watched.delete(uri)
    if (subscription) subscription.close()
    else await this.#options.connection.request('resources/unsubscribe', { uri })
  }

  get #isAwaited(): boolean {
    return this.#listeners.size > 0 || this.#watched.size > 0
  }

  #announceLists(): void {
    for (const kind of lists) this.#announce({ kind })
  }

  /** Invalidates caches at once. Listeners hear of the same change once per `quietMs` at most. */
  #announce(change: Change): void {
    this.#options.stale(change)
    if (this.#listeners.size === 0) return
    this.#waiting.set(change.kind === 'resource' ? `resource ${change.uri}` : change.kind, change)
    this.#timer ??= setTimeout(() => this.#tell(), quietMs)
  }

  #tell(): void {
    this.#timer = undefined
    const changes = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const change of changes) for (const listener of this.#listeners) notifyListener('onChange', () => listener(change))
  }
}

const subscribesIn = (revision: Revision | undefined): boolean => revision?.methods.has('subscriptions/listen') === true

function changeIn(method: string, params: JsonObject | undefined): Change | undefined {
  const kind = lists.find((list) => method === `notifications/${list}/list_changed`)
  if (kind) return { kind }
  if (method === 'notifications/resources/updated' && isObject(params) && typeof params.uri === 'string')
    return { kind: 'resource', uri: params.uri }
  return undefined
}

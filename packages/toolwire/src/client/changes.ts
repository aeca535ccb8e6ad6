// News of what changed at the server: told without asking by older ones, subscribed to at newer ones.
import { isObject, type JsonObject } from '../json.js'
import type { Notification } from '../jsonrpc/message.js'
import type { Revision } from '../revisions/revision.js'
import type { Change } from './client.js'
import type { Connection } from './connection.js'
import type { Session } from './session.js'
import { Subscription, subscriptionOf } from './subscription.js'

const lists = {
  'notifications/tools/list_changed': 'tools',
  'notifications/prompts/list_changed': 'prompts',
  'notifications/resources/list_changed': 'resources',
} as const

const kinds = { tools: 'toolsListChanged', prompts: 'promptsListChanged', resources: 'resourcesListChanged' } as const

/** The lists whose changes can be heard of, as far as the server has said what it offers. */
function listsOf(offered: JsonObject | undefined): JsonObject {
  return Object.fromEntries(
    Object.entries(kinds).flatMap(([list, kind]) => (offered === undefined || offered[list] !== undefined ? [[kind, true]] : [])),
  )
}
const quietMs = 100

export type ChangesOptions = {
  readonly connection: Connection
  /** Hears of every change at once, so that nothing stale is used. */
  readonly stale: (change: Change) => void
  readonly warn: (text: string) => void
}

export class Changes {
  readonly #options: ChangesOptions
  readonly #listeners = new Set<(change: Change) => void>()
  readonly #waiting = new Map<string, Change>()
  readonly #watched = new Map<string, { count: number; subscription: Subscription | undefined }>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #listening: Subscription | undefined
  readonly #open = new Map<unknown, Subscription>()

  constructor(options: ChangesOptions) {
    this.#options = options
  }

  /** True when the notification was about a change. */
  take(notification: Notification, { revision }: Session): boolean {
    const { method, params } = notification
    const change = changeIn(method, params)
    if (!change && method !== 'notifications/subscriptions/acknowledged') return false
    const subscription = this.#open.get(subscriptionOf(notification))
    // News that belong to no subscription of ours are nobody's.
    if (subscribesIn(revision) && !subscription) return true
    if (!change) {
      subscription?.take(notification)
      return true
    }
    if (change.kind !== 'resource' || this.#watched.has(change.uri)) this.#announce(change)
    return true
  }

  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    this.#listen()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stopListening()
    }
  }

  /** Asks to hear of one resource, once however often it is watched here. */
  async watch(uri: string): Promise<() => Promise<void>> {
    const watched = this.#watched.get(uri) ?? { count: 0, subscription: undefined }
    this.#watched.set(uri, watched)
    if (watched.count++ === 0) await this.#subscribe(uri, watched).catch((thrown) => this.#giveUp(uri, thrown))
    let ended = false
    return async () => {
      if (ended) return
      ended = true
      if (--watched.count === 0) await this.#unsubscribe(uri, watched.subscription)
    }
  }

  /** What an earlier session knew of our wishes is gone with it. */
  began(session: Session): void {
    if (session.revision?.asking === 'results') return
    for (const uri of this.#watched.keys())
      void session.request('resources/subscribe', { uri }).catch((thrown) => this.#options.warn(String(thrown)))
  }

  close(): void {
    clearTimeout(this.#timer)
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
    const { connection } = this.#options
    this.#listening = new Subscription(connection, listsOf(connection.current?.capabilities), {
      // While nobody was listening anything may have changed.
      reopened: () => {
        for (const kind of Object.values(lists)) this.#announce({ kind })
      },
      warn: this.#options.warn,
      open: this.#open,
    })
  }

  #stopListening(): void {
    this.#listening?.close()
    this.#listening = undefined
  }

  async #subscribe(uri: string, watched: { subscription: Subscription | undefined }): Promise<void> {
    const { connection, warn } = this.#options
    if (!this.#subscribes) {
      await connection.request('resources/subscribe', { uri })
      return
    }
    watched.subscription = new Subscription(
      connection,
      { resourceSubscriptions: [uri] },
      {
        reopened: () => this.#announce({ kind: 'resource', uri }),
        warn,
        open: this.#open,
      },
    )
    await watched.subscription.acknowledged
  }

  async #unsubscribe(uri: string, subscription: Subscription | undefined): Promise<void> {
    this.#watched.delete(uri)
    if (subscription) subscription.close()
    else await this.#options.connection.request('resources/unsubscribe', { uri })
  }

  #giveUp(uri: string, thrown: unknown): never {
    this.#watched.delete(uri)
    throw thrown
  }

  /** A flood of news comes to a few: the same change is told once in a while. */
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
    for (const change of changes) for (const listener of this.#listeners) listener(change)
  }
}

const subscribesIn = (revision: Revision | undefined): boolean => revision?.methods.has('subscriptions/listen') === true

function changeIn(method: string, params: JsonObject | undefined): Change | undefined {
  if (method in lists) return { kind: lists[method as keyof typeof lists] } // just looked up
  if (method === 'notifications/resources/updated' && isObject(params) && typeof params.uri === 'string')
    return { kind: 'resource', uri: params.uri }
  return undefined
}

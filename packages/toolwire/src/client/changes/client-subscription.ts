// A request that stays open and carries changes. It is opened again when the connection breaks.
// spec 2026-07-28, basic/patterns/subscriptions

import { backoff } from '../../bounds/backoff.js'
import { isObject, type JsonObject } from '../../json.js'
import { RpcError } from '../../jsonrpc/error.js'
import type { Notification } from '../../jsonrpc/message.js'
import { metaKeys, metaOf } from '../../revisions/meta-keys.js'
import type { Connection } from '../connection/connection.js'
import { transportErrorIn } from '../connection/revision-mismatch.js'

/** Delay before reopening a subscription that the server ended in good order. */
const afterGoodEndMs = 30_000
const acknowledgeMs = 5_000
/** Wait until a reopened subscription is assumed to be open, because some servers never acknowledge. */
const unacknowledgedMs = 1_000

type SubscriptionHandlers = {
  /** False if the subscription opens no session, but waits until there is one. */
  readonly reconnect: boolean
  /** Called when the subscription is open again, and again after a late acknowledgement. Anything may have changed in between. */
  readonly reopened: () => void
  readonly warn: (text: string) => void
  /** Open subscriptions by request id, because on a pipe the notifications of all of them share one stream. */
  readonly open: Map<unknown, ClientSubscription>
}

export class ClientSubscription {
  readonly #connection: Connection
  readonly #wish: JsonObject
  readonly #hearing: SubscriptionHandlers
  readonly #over = new AbortController()
  /** Resolves when the server acknowledges the subscription, or after a timeout. */
  readonly #acknowledged: Promise<void>
  #acknowledge!: () => void
  #refusal: Error | undefined
  #missedNews = false
  #id: number | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #wake: () => void = () => undefined

  constructor(connection: Connection, wish: JsonObject, hearing: SubscriptionHandlers) {
    this.#connection = connection
    this.#wish = wish
    this.#hearing = hearing
    this.#acknowledged = new Promise((resolve) => {
      this.#acknowledge = resolve
      setTimeout(resolve, acknowledgeMs).unref?.()
    })
    void this.#run()
  }

  /** Resolves when the subscription is acknowledged or the wait times out; throws the server's refusal. */
  async begun(): Promise<void> {
    await this.#acknowledged
    if (this.#refusal) throw this.#refusal
  }

  /** Handles the server's acknowledgement. */
  take({ params }: Notification): void {
    this.#acknowledge()
    this.#catchUp()
    const granted = isObject(params?.notifications) ? params.notifications : {}
    const missing = Object.keys(this.#wish).filter((kind) => granted[kind] === undefined || granted[kind] === false)
    if (missing.length > 0)
      this.#hearing.warn(`The server does not announce ${missing.join(', ')}. Changes are only noticed when cached lists expire`)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#forget()
    this.#over.abort(new Error('The subscription was closed'))
    this.#wake()
    this.#acknowledge()
  }

  async #run(): Promise<void> {
    for (let attempt = 0; !this.#over.signal.aborted; attempt++) {
      const ended = await this.#once()
      clearTimeout(this.#timer)
      if (this.#over.signal.aborted) return
      if (ended === 'refused') return this.#acknowledge()
      if (ended === 'opened') attempt = 0
      this.#missedNews = true
      const waitMs = ended === 'in good order' ? afterGoodEndMs : backoff(attempt)
      do await this.#wait(waitMs)
      while (!this.#mayOpen)
    }
  }

  get #mayOpen(): boolean {
    return this.#hearing.reconnect || this.#connection.current !== undefined || this.#over.signal.aborted
  }

  /** One stream, from its opening to its end. */
  async #once(): Promise<'in good order' | 'broken' | 'opened' | 'refused'> {
    const started = performance.now()
    try {
      // Not repeatable, because this class reopens the stream itself, after a delay and with notice of possibly missed changes.
      const sending = { endless: true, repeatable: false, signal: this.#over.signal, began: (id: number) => this.#began(id) }
      await this.#connection.request('subscriptions/listen', { notifications: this.#wish }, sending)
      return 'in good order'
    } catch (thrown) {
      if (!isRefusal(thrown)) return performance.now() - started > acknowledgeMs ? 'opened' : 'broken'
      this.#refusal = thrown
      if (!this.#over.signal.aborted) this.#hearing.warn(`The server refused the subscription to changes: ${String(thrown)}`)
      return 'refused'
    }
  }

  /** Called again if the connection repeats the request in another session. */
  #began(id: number): void {
    this.#forget()
    if (this.#id !== undefined) this.#missedNews = true
    this.#id = id
    this.#hearing.open.set(id, this)
    if (this.#missedNews) this.#later(() => this.#assumeOpen(), unacknowledgedMs)
  }

  /** Ids restart in each session, so another subscription may have this id now. */
  #forget(): void {
    const { open } = this.#hearing
    if (open.get(this.#id) === this) open.delete(this.#id)
  }

  /** The news are still missed: an acknowledgement that comes later shows that some may have followed this moment. */
  #assumeOpen(): void {
    if (this.#missedNews) this.#hearing.reopened()
  }

  #catchUp(): void {
    if (!this.#missedNews) return
    this.#missedNews = false
    this.#hearing.reopened()
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
      this.#later(resolve, ms)
    })
  }

  #later(then: () => void, ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(then, ms)
    this.#timer.unref?.()
  }
}

/** True if the server itself refused, so that asking again is pointless. Statuses 408, 429 and 5xx may be temporary. */
function isRefusal(thrown: unknown): thrown is RpcError {
  if (!(thrown instanceof RpcError)) return false
  const { status = 0 } = transportErrorIn(thrown) ?? {}
  return status < 500 && status !== 408 && status !== 429
}

/** The id of the request that a notification belongs to. */
export const subscriptionIdOf = ({ params }: Notification): unknown => metaOf(params)?.[metaKeys.subscriptionId]

// A request that stays open and carries changes. It is opened again when the connection breaks.
// spec 2026-07-28, basic/patterns/subscriptions

import { backoff } from '../../bounds/backoff.js'
import { isObject, type JsonObject } from '../../json.js'
import { RpcError } from '../../jsonrpc/error.js'
import type { Notification } from '../../jsonrpc/message.js'
import { metaKeys, metaOf } from '../../revisions/meta-keys.js'
import type { Connection } from '../connection/connection.js'
import { transportErrorIn } from '../connection/revision-mismatch.js'

/** After the server has ended it in good order there is no hurry. */
const afterGoodEndMs = 30_000
const acknowledgeMs = 5_000
/** Some servers never say that they have begun. */
const unacknowledgedMs = 1_000

type SubscriptionHandlers = {
  /** The server announces again what changes; meanwhile anything may have changed. */
  readonly reopened: () => void
  readonly warn: (text: string) => void
  /** Where those that are open are found by the ids of their requests: on a pipe all their news come the same way. */
  readonly open: Map<unknown, ClientSubscription>
}

export class ClientSubscription {
  readonly #connection: Connection
  readonly #wish: JsonObject
  readonly #hearing: SubscriptionHandlers
  readonly #over = new AbortController()
  /** Resolves when the server has said what it will announce, or has not in a while. */
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

  /** Resolves once the server announces what was wished for, as far as can be known; throws what it has refused it with. */
  async begun(): Promise<void> {
    await this.#acknowledged
    if (this.#refusal) throw this.#refusal
  }

  /** Hears what the server will announce. */
  take({ params }: Notification): void {
    this.#acknowledge()
    this.#catchUp()
    const granted = isObject(params?.notifications) ? params.notifications : {}
    const missing = Object.keys(this.#wish).filter((kind) => granted[kind] === undefined || granted[kind] === false)
    if (missing.length > 0)
      this.#hearing.warn(`The server does not announce ${missing.join(', ')}; lists are only as fresh as their ttl`)
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
      await this.#wait(ended === 'in good order' ? afterGoodEndMs : backoff(attempt))
    }
  }

  /** One stream, from its opening to its end. */
  async #once(): Promise<'in good order' | 'broken' | 'opened' | 'refused'> {
    const started = performance.now()
    try {
      // It is opened again here, with time between, and with word to those who may have missed something.
      const sending = { endless: true, repeatable: false, signal: this.#over.signal, began: (id: number) => this.#began(id) }
      await this.#connection.request('subscriptions/listen', { notifications: this.#wish }, sending)
      return 'in good order'
    } catch (thrown) {
      if (!isRefusal(thrown)) return performance.now() - started > acknowledgeMs ? 'opened' : 'broken'
      this.#refusal = thrown
      if (!this.#over.signal.aborted) this.#hearing.warn(`The server takes no subscription: ${String(thrown)}`)
      return 'refused'
    }
  }

  /** The request may have moved into another session by itself. */
  #began(id: number): void {
    this.#forget()
    if (this.#id !== undefined) this.#missedNews = true
    this.#id = id
    this.#hearing.open.set(id, this)
    if (this.#missedNews) this.#later(() => this.#catchUp(), unacknowledgedMs)
  }

  /** Each session counts from one, so the id may be another's by now. */
  #forget(): void {
    const { open } = this.#hearing
    if (open.get(this.#id) === this) open.delete(this.#id)
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

/** The server's own no will not become a yes by asking again; that of a gateway that cannot reach it may. */
function isRefusal(thrown: unknown): thrown is RpcError {
  if (!(thrown instanceof RpcError)) return false
  const { status = 0 } = transportErrorIn(thrown) ?? {}
  return status < 500 && status !== 408 && status !== 429
}

/** The id of the request that a notification belongs to. */
export const subscriptionIdOf = ({ params }: Notification): unknown => metaOf(params)?.[metaKeys.subscriptionId]

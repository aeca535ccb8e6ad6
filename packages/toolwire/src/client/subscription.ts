// A request that stays open and carries changes. It is opened again when the connection breaks.
// spec 2026-07-28, basic/patterns/subscriptions
import { isObject, type JsonObject } from '../json.js'
import type { Notification } from '../jsonrpc/message.js'
import { meta, metaOf } from '../revisions/meta.js'
import { backoff } from './backoff.js'
import type { Connection } from './connection.js'

/** After the server has ended it in good order there is no hurry. */
const afterGoodEndMs = 30_000
const acknowledgeMs = 5_000

export type Hearing = {
  readonly reopened: () => void
  readonly warn: (text: string) => void
  /** Where those that are open are found by the ids of their requests: on a pipe all their news come the same way. */
  readonly open: Map<unknown, Subscription>
}

export class Subscription {
  /** Resolves when the server has said what it will announce, or has not in a while. */
  readonly acknowledged: Promise<void>
  readonly #connection: Connection
  readonly #wish: JsonObject
  readonly #hearing: Hearing
  readonly #over = new AbortController()
  #acknowledge!: () => void
  #id: number | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #wake: () => void = () => undefined

  constructor(connection: Connection, wish: JsonObject, hearing: Hearing) {
    this.#connection = connection
    this.#wish = wish
    this.#hearing = hearing
    this.acknowledged = new Promise((resolve) => {
      this.#acknowledge = resolve
      setTimeout(resolve, acknowledgeMs).unref?.()
    })
    void this.#run()
  }

  /** Hears what the server will announce. */
  take({ params }: Notification): void {
    this.#acknowledge()
    const granted = isObject(params?.notifications) ? params.notifications : {}
    const missing = Object.keys(this.#wish).filter((kind) => granted[kind] === undefined || granted[kind] === false)
    if (missing.length > 0)
      this.#hearing.warn(`The server does not announce ${missing.join(', ')}; lists are only as fresh as their ttl`)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#hearing.open.delete(this.#id)
    this.#over.abort(new Error('The subscription was closed'))
    this.#wake()
    this.#acknowledge()
  }

  async #run(): Promise<void> {
    for (let attempt = 0; !this.#over.signal.aborted; attempt++) {
      const ended = await this.#once()
      if (this.#over.signal.aborted) return
      if (ended === 'refused') return this.#acknowledge()
      if (ended === 'opened') attempt = 0
      await this.#wait(ended === 'in good order' ? afterGoodEndMs : backoff(attempt))
      if (!this.#over.signal.aborted) this.#hearing.reopened()
    }
  }

  /** One stream, from its opening to its end. */
  async #once(): Promise<'in good order' | 'broken' | 'opened' | 'refused'> {
    const started = performance.now()
    try {
      const began = (id: number) => {
        this.#hearing.open.delete(this.#id)
        this.#id = id
        this.#hearing.open.set(id, this)
      }
      // It is opened again here, with time between, and with word to those who may have missed something.
      const sending = { endless: true, repeatable: false, signal: this.#over.signal, began }
      await this.#connection.request('subscriptions/listen', { notifications: this.#wish }, sending)
      return 'in good order'
    } catch (thrown) {
      if (isRefusal(thrown)) {
        if (!this.#over.signal.aborted) this.#hearing.warn(`The server takes no subscription: ${String(thrown)}`)
        return 'refused'
      }
      return performance.now() - started > acknowledgeMs ? 'opened' : 'broken'
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
      this.#timer = setTimeout(resolve, ms)
      this.#timer.unref?.()
    })
  }
}

/** The server's own no will not become a yes by asking again. */
const isRefusal = (thrown: unknown): boolean => thrown instanceof Error && thrown.name === 'RpcError'

/** The id of the request that a notification belongs to. */
export const subscriptionOf = ({ params }: Notification): unknown => metaOf(params)?.[meta.subscriptionId]

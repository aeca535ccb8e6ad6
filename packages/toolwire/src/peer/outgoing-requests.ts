import { longestTimer } from '../bounds/longest-timer.js'
import type { JsonObject } from '../json.js'
import { RpcError } from '../jsonrpc/error.js'
import { encodeNotification, encodeRequest, type Id, type Response } from '../jsonrpc/message.js'
import { withReplica } from './replica-ids.js'

type Pending = { resolve: (result: JsonObject) => void; reject: (reason: unknown) => void }

/** Pending requests to the peer. Ids match in value and in type, and are never reused. */
export class OutgoingRequests {
  readonly #pending = new Map<Id, Pending>()
  readonly #replica: string | undefined
  #last = 0

  constructor(replica?: string) {
    this.#replica = replica
  }

  /** Sends a request and waits for its response, the signal or the timeout, whichever comes first. */
  async ask(
    method: string,
    params: JsonObject,
    options: { send: (message: string) => void; signal: AbortSignal; timeoutMs: number },
  ): Promise<JsonObject> {
    const { send, signal, timeoutMs } = options
    signal.throwIfAborted()
    const id = this.#nextId()
    const answered = new Promise<JsonObject>((resolve, reject) => this.#pending.set(id, { resolve, reject }))
    const giveUp = (reason: unknown) => {
      this.#pending.get(id)?.reject(reason)
      const words = reason instanceof Error ? { reason: reason.message } : {}
      send(encodeNotification('notifications/cancelled', { requestId: id, ...words }))
    }
    const abort = () => giveUp(signal.reason)
    const timer = setTimeout(() => giveUp(new QuestionTimeout(method, timeoutMs)), Math.min(timeoutMs, longestTimer))
    signal.addEventListener('abort', abort, { once: true })
    try {
      send(encodeRequest(id, method, params))
      return await answered
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      this.#pending.delete(id)
    }
  }

  /** Passes a response to its request; false if none is pending. */
  settle(response: Response): boolean {
    const pending = response.id === undefined || response.id === null ? undefined : this.#pending.get(response.id)
    if (!pending) return false
    if ('result' in response) pending.resolve(response.result)
    else pending.reject(new RpcError(response.error.code, response.error.message, { data: response.error.data }))
    return true
  }

  #nextId(): number | string {
    const next = ++this.#last
    return this.#replica === undefined ? next : withReplica(this.#replica, String(next))
  }

  /** Rejects all pending requests, because no response will come. */
  abandon(reason: unknown): void {
    for (const pending of [...this.#pending.values()]) pending.reject(reason)
  }
}

export class QuestionTimeout extends Error {
  override name = 'QuestionTimeout'
  constructor(method: string, ms: number) {
    super(`The client did not answer ${method} within ${ms} ms`)
  }
}

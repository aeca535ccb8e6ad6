// The lasting requests of a host, such as subscriptions. They are replayed to another gateway without the host's involvement.
import { randomUUID } from 'node:crypto'
import { isObject } from '../json/is-object.js'
import { type HostMessage, isRequest, isResponse, keyOf, paramsOf } from './message.js'

const subscriptionId = 'io.modelcontextprotocol/subscriptionId'

export class ReplayedState {
  /** spec 2025-11-25, basic/lifecycle#initialization */
  #hello: HostMessage | undefined
  #isInitialized = false
  /** spec 2025-11-25, server/utilities/logging#setting-log-level */
  #level: HostMessage | undefined
  /** Subscriptions by URI. spec 2025-11-25, server/resources#subscriptions */
  readonly #watched = new Map<string, HostMessage>()
  /** spec 2026-07-28, basic/patterns/subscriptions */
  readonly #listening = new Map<string, HostMessage>()
  readonly #reopened = new Set<string>()
  /** Replayed requests, by their new ids, that have no response yet. */
  readonly #replayed = new Map<string, HostMessage>()
  #refused: HostMessage[] = []

  /** Notes a message of the host to a gateway. */
  noteSent(message: HostMessage): void {
    const { method } = message
    if (method === 'initialize') this.#forget()
    if (method === 'notifications/initialized') this.#isInitialized = true
    if (method === 'subscriptions/listen' && isRequest(message)) this.#listening.set(keyOf(message), message)
    if (method === 'notifications/cancelled') this.#listening.delete(JSON.stringify(paramsOf(message).requestId))
  }

  /** Notes a request of the host that a gateway has fulfilled. */
  noteGranted(request: HostMessage): void {
    const { method } = request
    const uri = String(paramsOf(request).uri)
    if (method === 'initialize') this.#hello = request
    if (method === 'logging/setLevel') this.#level = request
    if (method === 'resources/subscribe') this.#watched.set(uri, request)
    if (method === 'resources/unsubscribe') this.#watched.delete(uri)
  }

  isListening(request: HostMessage): boolean {
    return this.#listening.has(keyOf(request))
  }

  /** The messages to send to a new gateway before all others. */
  replay(): HostMessage[] {
    this.#replayed.clear()
    this.#refused = []
    const hello = this.#hello ? [this.#withNewId(this.#hello)] : []
    const initialized = this.#isInitialized ? [{ jsonrpc: '2.0', method: 'notifications/initialized' }] : []
    const asked = [...(this.#level ? [this.#level] : []), ...this.#watched.values()].map((request) => this.#withNewId(request))
    for (const key of this.#listening.keys()) this.#reopened.add(key)
    return [...hello, ...initialized, ...asked, ...this.#listening.values()]
  }

  /** Refused subscriptions that may succeed now: the upstream with the resource may have been slow to start. */
  retries({ method }: HostMessage): HostMessage[] {
    if (method !== 'notifications/resources/list_changed') return []
    const still = this.#refused.splice(0).filter((request) => [...this.#watched.values()].includes(request))
    return still.map((request) => this.#withNewId(request))
  }

  /** Must a message be kept from the host? True for responses to replayed requests, and for messages that the host has had before. */
  isKeptFromHost(message: HostMessage): boolean {
    if (isResponse(message)) return this.#isAnswerToReplay(message)
    const { requestId, _meta } = paramsOf(message)
    // A gateway that ends cancels its subscriptions, but the next one continues them.
    if (message.method === 'notifications/cancelled') return this.#listening.has(JSON.stringify(requestId))
    if (message.method !== 'notifications/subscriptions/acknowledged' || !isObject(_meta)) return false
    return this.#reopened.delete(JSON.stringify(_meta[subscriptionId]))
  }

  #isAnswerToReplay(answer: HostMessage): boolean {
    const key = keyOf(answer)
    const request = this.#replayed.get(key)
    if (request && answer.error !== undefined && request.method === 'resources/subscribe') this.#refused.push(request)
    if (this.#replayed.delete(key)) return true
    if (!this.#listening.has(key)) return false
    if (answer.error !== undefined) this.#listening.delete(key)
    return answer.error === undefined
  }

  #withNewId(request: HostMessage): HostMessage {
    const again = { ...request, id: `again-${randomUUID()}` }
    this.#replayed.set(keyOf(again), request)
    return again
  }

  #forget(): void {
    this.#hello = undefined
    this.#isInitialized = false
    this.#level = undefined
    this.#watched.clear()
    this.#listening.clear()
  }
}

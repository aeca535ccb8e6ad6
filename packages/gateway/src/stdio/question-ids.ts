import type { JsonObject } from 'toolwire'
import { type HostMessage, isRequest, isResponse, paramsOf } from './message.js'

/** Renames the ids of gateways' requests to the host, because each gateway counts from the beginning and responses may come late. */
export class QuestionIds {
  #gateway = 0
  /** The original ids by the new ones. */
  readonly #open = new Map<string, JsonObject[string]>()

  toHost(message: HostMessage): HostMessage {
    if (isRequest(message)) {
      const id = this.#named(message.id)
      this.#open.set(id, message.id ?? null)
      return { ...message, id }
    }
    const requestId = this.#named(paramsOf(message).requestId)
    if (message.method !== 'notifications/cancelled' || !this.#open.delete(requestId)) return message
    return { ...message, params: { ...paramsOf(message), requestId } }
  }

  /** Restores the original id of a response; drops a response that nobody waits for. */
  toGateway(message: HostMessage): HostMessage | undefined {
    if (!isResponse(message)) return message
    const id = this.#open.get(String(message.id))
    return this.#open.delete(String(message.id)) && id !== undefined ? { ...message, id } : undefined
  }

  /** Cancels the open requests of a gateway that has ended. */
  abandon(): HostMessage[] {
    const reason = 'The gateway that asked this question has ended'
    const cancelled = [...this.#open.keys()].map((requestId) => ({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId, reason },
    }))
    this.#open.clear()
    this.#gateway++
    return cancelled
  }

  #named(id: JsonObject[string] | undefined): string {
    return `${this.#gateway}:${JSON.stringify(id ?? null)}`
  }
}

import { PendingRequest } from './pending-request.js'

const slots = 1_024

/** Pending requests by id. Ids only grow, so most are found by their low bits, because a Map would be rebuilt again and again. */
export class PendingRequests {
  readonly #near: (PendingRequest | undefined)[] = new Array(slots).fill(undefined)
  readonly #far = new Map<number, PendingRequest>()
  #lastId = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  nextId(): number {
    return ++this.#lastId
  }

  begin(id: number, method: string, repeatable: boolean): PendingRequest {
    const pendingRequest = new PendingRequest(id, method, repeatable)
    const place = pendingRequest.id % slots
    if (this.#near[place] === undefined) this.#near[place] = pendingRequest
    else this.#far.set(pendingRequest.id, pendingRequest)
    this.#size++
    return pendingRequest
  }

  find(id: unknown): PendingRequest | undefined {
    if (typeof id !== 'number') return undefined
    const near = this.#near[id % slots]
    return near?.id === id ? near : this.#far.get(id)
  }

  /** Removes and ends the request. Returns false if it has already ended, so that nothing ends twice. */
  end(pendingRequest: PendingRequest): boolean {
    if (this.find(pendingRequest.id) !== pendingRequest) return false
    const place = pendingRequest.id % slots
    if (this.#near[place] === pendingRequest) this.#near[place] = undefined
    else this.#far.delete(pendingRequest.id)
    this.#size--
    pendingRequest.end()
    return true
  }

  all(): PendingRequest[] {
    return [...this.#near.filter((pendingRequest) => pendingRequest !== undefined), ...this.#far.values()]
  }
}

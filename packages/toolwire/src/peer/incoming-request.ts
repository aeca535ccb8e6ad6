import { CancelSource, newAbortSignalOf } from '../bounds/cancel-token.js'
import type { Id } from '../jsonrpc/message.js'

/** A request that is being answered. Its abort signal is created on first use, because most calls never use it. */
export class IncomingRequest extends CancelSource {
  readonly id: Id | undefined
  /** Its index in the conversation's `Bag`. */
  place = 0
  #signal: AbortSignal | undefined
  #overListeners: (() => void)[] | undefined
  #isOver = false
  /** True if the client has cancelled it: nothing may be sent about it any more. */
  cancelled = false
  /** Milliseconds that it waited in the queue. */
  waitedMs = 0
  /** True if it lasts until either side ends it, as a subscription does. */
  endless = false

  constructor(id?: Id) {
    super()
    this.id = id
  }

  /** Aborted when work on the request should stop. After a cancellation no answer is sent; after a timeout the answer still is. */
  get signal(): AbortSignal {
    this.#signal ??= newAbortSignalOf(this)
    return this.#signal
  }

  cancel(reason: unknown): void {
    if (this.cancelled) return
    this.cancelled = true
    this.onCancel?.(reason)
    this.abort(reason)
  }

  /** Calls back when the request has been answered, or never will be; at once if it is over already. */
  onOver(listener: () => void): void {
    if (this.#isOver) listener()
    else if (this.#overListeners) this.#overListeners.push(listener)
    else this.#overListeners = [listener]
  }

  end(): void {
    this.#isOver = true
    for (const listener of this.#overListeners ?? []) listener()
    this.#overListeners = undefined
  }

  /** Listener for the cancellation, called at once. There is at most one. */
  onCancel: ((reason: unknown) => void) | undefined
}

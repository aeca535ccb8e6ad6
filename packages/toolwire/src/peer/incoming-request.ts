import { CancelSource, newAbortSignalOf } from '../bounds/cancel-token.js'
import type { Id } from '../jsonrpc/message.js'

/** A request that is being answered. Its abort signal is made only if someone asks for it: most calls never look. */
export class IncomingRequest extends CancelSource {
  readonly id: Id | undefined
  /** Where the conversation keeps it. */
  place = 0
  #signal: AbortSignal | undefined
  /** Nothing may be sent about it any more. */
  cancelled = false
  /** Milliseconds for which it waited for its turn. */
  waitedMs = 0
  /** It goes on until either side ends it, so nobody should wait for its answer. */
  endless = false

  constructor(id?: Id) {
    super()
    this.id = id
  }

  /** Aborted when work on the request should stop: when it is cancelled, or at the timeout, when its answer is still sent. */
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

  /** Called at once when the request is cancelled; there is one listener at most. */
  onCancel: ((reason: unknown) => void) | undefined
}

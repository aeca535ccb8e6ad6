import type { Id } from '../jsonrpc/message.js'

/** A request that is being answered. Its abort signal is made only if someone asks for it: most calls never look. */
export class Flight {
  readonly id: Id | undefined
  /** Where the conversation keeps it. */
  place = 0
  #controller: AbortController | undefined
  #reason: unknown
  /** Nothing may be sent about it any more. */
  cancelled = false
  /** Whoever works on it has been told to stop. */
  aborted = false
  /** Milliseconds for which it waited for its turn. */
  waitedMs = 0
  /** It goes on until either side ends it, so nobody should wait for its answer. */
  endless = false

  constructor(id?: Id) {
    this.id = id
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.cancelled) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  cancel(reason: unknown): void {
    if (this.cancelled) return
    this.cancelled = true
    this.aborted = true
    this.#reason = reason
    this.#onCancel?.(reason)
    this.#controller?.abort(reason)
  }

  /** Aborts the work but still lets the answer go out, as when the time is up. */
  abort(reason: unknown): void {
    this.aborted = true
    this.#reason = reason
    if (this.#controller) this.#controller.abort(reason)
    else {
      this.#controller = new AbortController()
      this.#controller.abort(reason)
    }
  }

  #onCancel: ((reason: unknown) => void) | undefined

  /** Called at once when the request is cancelled; there is one listener at most. */
  set onCancel(listener: ((reason: unknown) => void) | undefined) {
    this.#onCancel = listener
  }
}

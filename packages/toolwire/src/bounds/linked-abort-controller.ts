import type { CancelToken } from './cancel-token.js'

/** An abort controller that also follows another signal, until `release` is called. */
export class LinkedAbortController {
  readonly #controller = new AbortController()
  readonly #other: CancelToken | undefined

  constructor(other: CancelToken | undefined) {
    this.#other = other
    if (other?.aborted) this.#follow()
    else other?.addEventListener('abort', this.#follow)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  readonly abort = (reason: unknown): void => this.#controller.abort(reason)

  /** Stops following the other signal. Without this, a long-lived signal would keep a listener for every call. */
  release(): void {
    this.#other?.removeEventListener('abort', this.#follow)
  }

  readonly #follow = (): void => this.#controller.abort(this.#other?.reason)
}

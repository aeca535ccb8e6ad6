import type { CancelToken } from './cancel-token.js'

/** A signal that its owner can abort, and that follows another one until it is let go. */
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

  /** A signal that lives for long must not remember every call that followed it. */
  release(): void {
    this.#other?.removeEventListener('abort', this.#follow)
  }

  readonly #follow = (): void => this.#controller.abort(this.#other?.reason)
}

import type { Context } from 'toolwire'
import type { Progress } from 'toolwire/client'
import type { Audience } from '../upstreams/parked.js'

/** Told how far a call is, by the context that it is made in. */
export type OnProgress = (context: Context, progress: Progress) => void

/** Whoever made the call, and somebody who listens. */
export class Overheard implements Audience {
  readonly #context: Context
  readonly #onProgress: OnProgress

  constructor(context: Context, onProgress: OnProgress) {
    this.#context = context
    this.#onProgress = onProgress
  }

  get progress(): Audience['progress'] {
    const { progress } = this.#context
    return (done, total, message) => {
      progress(done, total, message)
      const more = { ...(total !== undefined && { total }), ...(message !== undefined && { message }) }
      this.#onProgress(this.#context, { progress: done, ...more })
    }
  }

  get log(): Audience['log'] {
    return this.#context.log
  }

  get outlast(): Audience['outlast'] {
    return this.#context.outlast
  }
}

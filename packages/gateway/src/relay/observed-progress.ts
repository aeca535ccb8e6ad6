import type { Context } from 'toolwire'
import type { Progress } from 'toolwire/client'
import type { ProgressAudience } from '../upstreams/suspended-call.js'

/** Told how far a call is, by the context that it is made in. */
export type OnProgress = (context: Context, progress: Progress) => void

/** Sends progress to the caller and to one observer. */
export class ObservedProgress implements ProgressAudience {
  readonly #context: Context
  readonly #onProgress: OnProgress

  constructor(context: Context, onProgress: OnProgress) {
    this.#context = context
    this.#onProgress = onProgress
  }

  get progress(): ProgressAudience['progress'] {
    const { progress } = this.#context
    return (done, total, message) => {
      progress(done, total, message)
      const more = { ...(total !== undefined && { total }), ...(message !== undefined && { message }) }
      this.#onProgress(this.#context, { progress: done, ...more })
    }
  }

  get log(): ProgressAudience['log'] {
    return this.#context.log
  }

  get promoteToTask(): ProgressAudience['promoteToTask'] {
    return this.#context.promoteToTask
  }
}

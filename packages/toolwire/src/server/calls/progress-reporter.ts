import { TokenBucket } from '../../bounds/token-bucket.js'
import type { Json, JsonObject } from '../../json.js'

/** Sends a notification about a running call. */
export type SendNotification = (method: string, params: JsonObject) => void

type Update = { progress: number; total: number | undefined; message: string | undefined }

/** Tells one client how far one call has come: always forward, never too often, and never after the end. */
export class ProgressReporter {
  readonly #token: Json
  readonly #send: SendNotification
  readonly #withMessage: boolean
  readonly #throttle = new TokenBucket()
  #last = Number.NEGATIVE_INFINITY
  #held: Update | undefined

  constructor(token: Json, send: SendNotification, withMessage: boolean) {
    this.#token = token
    this.#send = send
    this.#withMessage = withMessage
  }

  report(progress: number, total?: number, message?: string): void {
    if (!(progress > this.#last) || !Number.isFinite(progress)) return
    this.#last = progress
    const update = { progress, total, message }
    if (!this.#throttle.take()) {
      this.#held = update
      return
    }
    this.#held = undefined
    this.#tell(update)
  }

  /** The call is about to end: what was held back last is still true. */
  finish(): void {
    if (this.#held) this.#tell(this.#held)
    this.#held = undefined
    this.#last = Number.POSITIVE_INFINITY
  }

  #tell({ progress, total, message }: Update): void {
    const params: JsonObject = { progressToken: this.#token, progress }
    if (Number.isFinite(total)) params.total = total as number // undefined is not finite
    if (message !== undefined && this.#withMessage) params.message = message
    this.#send('notifications/progress', params)
  }
}

import type { Countdown } from '../../bounds/countdown.js'
import type { JsonObject } from '../../json.js'
import type { ProgressThrottle } from '../calls/progress-throttle.js'
import type { RequestScope } from '../questions/request-scopes.js'

/** A request of ours that waits for its answer. Its id is also the token of its progress. */
export class PendingRequest {
  readonly id: number
  readonly method: string
  /** Doing it twice does no harm, so not knowing whether it was done does none either. */
  readonly repeatable: boolean
  readonly answer: Promise<JsonObject>
  countdown: Countdown | undefined
  progress: ProgressThrottle | undefined
  /** Who attends to it, if not those of the connection. */
  scope: RequestScope | undefined
  /** Stops to listen whether anybody still waits for it. */
  unlisten: (() => void) | undefined
  resolve!: (result: JsonObject | Promise<JsonObject>) => void
  reject!: (reason: unknown) => void

  constructor(id: number, method: string, repeatable: boolean) {
    this.id = id
    this.method = method
    this.repeatable = repeatable
    this.answer = new Promise((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
  }

  /** Nothing more will be told about it, and it hears nothing more. */
  end(): void {
    this.countdown?.stop()
    this.unlisten?.()
    this.progress?.end()
  }
}

import type { Countdown } from '../../bounds/countdown.js'
import type { JsonObject } from '../../json.js'
import type { ProgressThrottle } from '../calls/progress-throttle.js'
import type { RequestScope } from '../questions/request-scopes.js'

/** A request that waits for its answer. Its id is also its progress token. */
export class PendingRequest {
  readonly id: number
  readonly method: string
  /** True if repeating the request is harmless, so that an unknown outcome is harmless too. */
  readonly repeatable: boolean
  readonly answer: Promise<JsonObject>
  countdown: Countdown | undefined
  progress: ProgressThrottle | undefined
  /** Handlers of this request, instead of those of the connection. */
  scope: RequestScope | undefined
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

  end(): void {
    this.countdown?.stop()
    this.unlisten?.()
    this.progress?.end()
  }
}

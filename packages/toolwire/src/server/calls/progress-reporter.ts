import { TokenBucket } from '../../bounds/token-bucket.js'
import type { Json, JsonObject } from '../../json.js'

export type SendNotification = (method: string, params: JsonObject) => void

type Update = { progress: number; total: number | undefined; message: string | undefined }

/** Reports the progress of one call to one client: only increasing, rate-limited, and never after the end. */
export function progressReporter(progressToken: Json, send: SendNotification, withMessage: boolean) {
  const throttle = new TokenBucket()
  let last = Number.NEGATIVE_INFINITY
  let held: Update | undefined
  const tell = ({ progress, total, message }: Update) => {
    const params: JsonObject = { progressToken, progress }
    if (Number.isFinite(total)) params.total = total as number // undefined is not finite
    if (message !== undefined && withMessage) params.message = message
    send('notifications/progress', params)
  }
  return {
    report(progress: number, total?: number, message?: string): void {
      if (!(progress > last) || !Number.isFinite(progress)) return
      last = progress
      const update = { progress, total, message }
      held = throttle.take() ? undefined : update
      if (!held) tell(update)
    },
    /** Sends the update that was held back last, because the call is about to end. */
    finish(): void {
      if (held) tell(held)
      held = undefined
      last = Number.POSITIVE_INFINITY
    },
  }
}

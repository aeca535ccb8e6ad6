// A new session for those who only listen: nobody else may ask for one for a long time.
import { backoff } from '../../bounds/backoff.js'
import type { Connection } from '../connection/connection.js'

type ReconnectorOptions = {
  readonly connection: Connection
  /** Somebody still listens. */
  readonly isAwaited: () => boolean
  readonly warn: (text: string) => void
}

export class Reconnector {
  readonly #options: ReconnectorOptions
  #timer: ReturnType<typeof setTimeout> | undefined
  #isTrying = false

  constructor(options: ReconnectorOptions) {
    this.#options = options
  }

  begin(attempt = 0): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#try(attempt), backoff(attempt))
    this.#timer.unref?.()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  /** The session that somebody else needed meanwhile is as good. */
  async #try(attempt: number): Promise<void> {
    const { connection, isAwaited, warn } = this.#options
    if (this.#isTrying || connection.current || !isAwaited()) return
    this.#isTrying = true
    const failure: unknown = await connection.session().then(
      () => undefined,
      (thrown) => thrown,
    )
    this.#isTrying = false
    if (failure === undefined || !isAwaited()) return
    warn(`What changes at the server is not heard of while there is no session: ${String(failure)}`)
    this.begin(attempt + 1)
  }
}

// Opens a new session for listeners, because no request may need one for a long time.
import { backoff } from '../../bounds/backoff.js'
import type { Connection } from '../connection/connection.js'

type ReconnectorOptions = {
  readonly connection: Connection
  readonly isAwaited: () => boolean
  readonly warn: (text: string) => void
}

export function reconnector({ connection, isAwaited, warn }: ReconnectorOptions) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isTrying = false
  const stop = () => clearTimeout(timer)
  const begin = (attempt = 0): void => {
    stop()
    timer = setTimeout(() => void reconnect(attempt), backoff(attempt))
    timer.unref?.()
  }
  /** Does nothing if a request has opened a session meanwhile. */
  const reconnect = async (attempt: number): Promise<void> => {
    if (isTrying || connection.current || !isAwaited()) return
    isTrying = true
    try {
      await connection.session()
    } catch (thrown) {
      if (!isAwaited()) return
      warn(`No change notifications arrive until the server can be reached again: ${String(thrown)}`)
      begin(attempt + 1)
    } finally {
      isTrying = false
    }
  }
  return { begin, stop }
}

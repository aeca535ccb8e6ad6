// Opens a new session for listeners, because no request may need one for a long time.
import { backoff } from '../../bounds/backoff.js'
import type { Connection } from '../connection/connection.js'

type ReconnectorOptions = {
  readonly connection: Connection
  readonly isAwaited: () => boolean
  readonly warn: (text: string) => void
}

/** A session that ends sooner counts as a failed attempt. */
const stableMs = 5_000

export function reconnector({ connection, isAwaited, warn }: ReconnectorOptions) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isTrying = false
  let attempts = 0
  let openedAt = 0
  const stop = () => clearTimeout(timer)
  const later = (): void => {
    stop()
    timer = setTimeout(() => void reconnect(), backoff(attempts++))
    timer.unref?.()
  }
  const begin = (): void => {
    if (performance.now() - openedAt > stableMs) attempts = 0
    later()
  }
  /** Does nothing if a request has opened a session meanwhile. */
  const reconnect = async (): Promise<void> => {
    if (isTrying || connection.current || !isAwaited()) return
    isTrying = true
    try {
      await connection.session()
      openedAt = performance.now()
    } catch (thrown) {
      if (!isAwaited()) return
      warn(`No change notifications arrive until the server can be reached again: ${String(thrown)}`)
      later()
    } finally {
      isTrying = false
    }
  }
  return { begin, stop }
}

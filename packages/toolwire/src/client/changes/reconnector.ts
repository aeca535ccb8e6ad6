// A new session for those who only listen: nobody else may ask for one for a long time.
import { backoff } from '../../bounds/backoff.js'
import type { Connection } from '../connection/connection.js'

type ReconnectorOptions = {
  readonly connection: Connection
  /** Somebody still listens. */
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
  /** The session that somebody else needed meanwhile is as good. */
  const reconnect = async (attempt: number): Promise<void> => {
    if (isTrying || connection.current || !isAwaited()) return
    isTrying = true
    try {
      await connection.session()
    } catch (thrown) {
      if (!isAwaited()) return
      warn(`What changes at the server is not heard of while there is no session: ${String(thrown)}`)
      begin(attempt + 1)
    } finally {
      isTrying = false
    }
  }
  return { begin, stop }
}

// Pings that detect dead connections. Off by default. spec 2025-11-25, basic/utilities/ping
import { longestTimer } from '../../bounds/longest-timer.js'
import { RpcError } from '../../jsonrpc/error.js'
import { TransportError } from '../../peer/client-transport.js'
import type { Connection } from './connection.js'
import type { ClientSession } from './session.js'

const missesToEnd = 3

export function heartbeat(connection: Connection, everyMs: number) {
  let timer: ReturnType<typeof setInterval> | undefined
  const stop = () => clearInterval(timer)
  return {
    stop,
    /** Newer revisions have no sessions to keep alive, and no ping. */
    began(session: ClientSession): void {
      stop()
      if (everyMs <= 0 || !session.revision?.methods.has('ping')) return
      let misses = 0
      const answered = () => {
        misses = 0
      }
      const missed = (thrown: unknown) => {
        if (thrown instanceof RpcError) return answered()
        if (++misses < missesToEnd) return
        stop()
        const what = `The server did not answer ${missesToEnd} pings in a row, so the connection was closed`
        connection.warn(what)
        session.ended(new TransportError('broken', what, { sent: true, cause: thrown }))
        void session.close()
      }
      timer = setInterval(
        () => session.request('ping', undefined, { totalMs: everyMs }).then(answered, missed),
        Math.min(everyMs, longestTimer),
      )
      timer.unref?.()
    },
  }
}

// Connections of single callers to an upstream that must know the caller. No caller's request uses another caller's connection.
import type { Caller } from 'toolwire'
import type { Credentials } from 'toolwire/client'

/** The credentials of a caller; throws if the caller has none. */
export type CallerCredentials = (caller: Caller) => Credentials

type Connection = { close(): Promise<void> }
type CallerConnection<C> = {
  readonly auth: Credentials
  readonly connection: C
  busy: number
  timer?: ReturnType<typeof setTimeout>
}

type CallerConnectionsOptions<C> = {
  readonly authOf: CallerCredentials
  readonly open: (auth: Credentials) => C
  /** Time after which an unused connection is closed. */
  readonly idleMs?: number
}

export function callerConnections<C extends Connection>({ authOf, open, idleMs = 600_000 }: CallerConnectionsOptions<C>) {
  const all = new Map<string, CallerConnection<C>>()
  const leave = (id: string, own: CallerConnection<C>): void => {
    if (own.busy > 0) return
    clearTimeout(own.timer)
    if (all.get(id) !== own) return void own.connection.close()
    const end = () => {
      all.delete(id)
      void own.connection.close()
    }
    own.timer = setTimeout(end, idleMs)
    own.timer.unref()
  }
  /** The caller's connection. A new login, or another account, gets a new connection. */
  const ownOf = (caller: Caller): CallerConnection<C> => {
    const auth = authOf(caller)
    const known = all.get(caller.id)
    if (known?.auth === auth) return known
    const made: CallerConnection<C> = { auth, connection: open(auth), busy: 0 }
    all.set(caller.id, made)
    if (known) leave(caller.id, known)
    return made
  }
  return {
    /** Runs the work on the caller's own connection, which is opened on first use. */
    async use<T>(caller: Caller, work: (connection: C) => Promise<T>): Promise<T> {
      const own = ownOf(caller)
      own.busy++
      clearTimeout(own.timer)
      try {
        return await work(own.connection)
      } finally {
        own.busy--
        leave(caller.id, own)
      }
    },
    /** Closes the caller's connection once its running requests are over. The next request gets a new connection. */
    forget(id: string): void {
      const own = all.get(id)
      all.delete(id)
      if (own) leave(id, own)
    },
    async close(): Promise<void> {
      const left = [...all.values()]
      all.clear()
      for (const { timer } of left) clearTimeout(timer)
      await Promise.all(left.map(({ connection }) => connection.close()))
    },
  }
}

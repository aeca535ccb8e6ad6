// Connections of single callers to an upstream that is to know which of them it is: what one asks never goes over another's.
import type { Caller } from 'toolwire'
import type { Credentials } from 'toolwire/client'

/** What this caller shows; throws where it has nothing to show. */
export type CallerCredentials = (caller: Caller) => Credentials

type Connection = { close(): Promise<void> }
type Own<C> = { readonly auth: Credentials; readonly connection: C; busy: number; timer?: ReturnType<typeof setTimeout> }

type CallerConnectionsOptions<C> = {
  readonly authOf: CallerCredentials
  readonly open: (auth: Credentials) => C
  /** How long one is kept that its caller does not use. */
  readonly idleMs?: number
}

export class CallerConnections<C extends Connection> {
  readonly #options: CallerConnectionsOptions<C>
  readonly #all = new Map<string, Own<C>>()

  constructor(options: CallerConnectionsOptions<C>) {
    this.#options = options
  }

  /** Does this on the caller's own connection, which is made when it is first needed. */
  async use<T>(caller: Caller, work: (connection: C) => Promise<T>): Promise<T> {
    const own = this.#of(caller)
    own.busy++
    clearTimeout(own.timer)
    try {
      return await work(own.connection)
    } finally {
      own.busy--
      this.#leave(caller.id, own)
    }
  }

  async close(): Promise<void> {
    const all = [...this.#all.values()]
    this.#all.clear()
    for (const { timer } of all) clearTimeout(timer)
    await Promise.all(all.map(({ connection }) => connection.close()))
  }

  /** A caller with a new login, or another account, gets a new connection. */
  #of(caller: Caller): Own<C> {
    const auth = this.#options.authOf(caller)
    const known = this.#all.get(caller.id)
    if (known?.auth === auth) return known
    const made: Own<C> = { auth, connection: this.#options.open(auth), busy: 0 }
    this.#all.set(caller.id, made)
    if (known) this.#leave(caller.id, known)
    return made
  }

  #leave(id: string, own: Own<C>): void {
    if (own.busy > 0) return
    clearTimeout(own.timer)
    if (this.#all.get(id) !== own) return void own.connection.close()
    const end = () => {
      this.#all.delete(id)
      void own.connection.close()
    }
    own.timer = setTimeout(end, this.#options.idleMs ?? 600_000)
    own.timer.unref()
  }
}

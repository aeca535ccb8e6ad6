// Pings, for connections that would not be noticed to be dead. Off unless asked for. spec 2025-11-25, basic/utilities/ping
import type { Connection } from './connection.js'
import type { ClientSession } from './session.js'

const missesToEnd = 3

export class Heartbeat {
  readonly #connection: Connection
  readonly #everyMs: number
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(connection: Connection, everyMs: number) {
    this.#connection = connection
    this.#everyMs = everyMs
  }

  /** Newer editions have no sessions to keep alive, and no ping. */
  began(session: ClientSession): void {
    this.stop()
    if (this.#everyMs <= 0 || !session.revision?.methods.has('ping')) return
    let misses = 0
    this.#timer = setInterval(() => {
      session.request('ping', undefined, { totalMs: this.#everyMs }).then(
        () => {
          misses = 0
        },
        () => {
          if (++misses >= missesToEnd) this.#giveUp(session)
        },
      )
    }, this.#everyMs)
    this.#timer.unref?.()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #giveUp(session: ClientSession): void {
    this.stop()
    this.#connection.warn(`${missesToEnd} pings in a row went unanswered; the connection was given up`)
    void session.close()
  }
}

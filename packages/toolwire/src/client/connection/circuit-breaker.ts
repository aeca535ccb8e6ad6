import { CallFailure } from '../errors.js'

const failuresToOpen = 5
const probeEveryMs = 5_000
/** A server that ends sooner than this has not really started. */
const shortLifeMs = 1_000

/** Keeps us from knocking again and again at a door that does not open, or from starting a program over and over. */
export class CircuitBreaker {
  readonly #now: () => number
  #failures = 0
  /** Connections in a row that ended by themselves as soon as they had begun; that they did begin says nothing for them. */
  #shortLives = 0
  #closedUntil = 0
  #openedAt = 0

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Throws while it makes no sense to try. */
  check(name: string): void {
    const waitMs = this.#closedUntil - this.#now()
    const failures = Math.max(this.#failures, this.#shortLives)
    if (failures < failuresToOpen || waitMs <= 0) return
    throw new CallFailure(
      'disconnected',
      `${name} could not be reached, or did not stay, ${failures} times in a row; next try in ${Math.ceil(waitMs)} ms`,
      {
        retryAfterMs: waitMs,
      },
    )
  }

  opened(): void {
    this.#openedAt = this.#now()
  }

  succeeded(): void {
    this.#failures = 0
  }

  failed(): void {
    if (++this.#failures >= failuresToOpen) this.#close()
  }

  /** A connection has ended by itself. */
  ended(): void {
    this.#shortLives = this.#now() - this.#openedAt < shortLifeMs ? this.#shortLives + 1 : 0
    if (this.#shortLives >= failuresToOpen) this.#close()
  }

  #close(): void {
    this.#closedUntil = this.#now() + probeEveryMs
  }
}

// spec 2025-11-25, basic/transports#resumability-and-redelivery
import { backoff } from '../../../../bounds/backoff.js'

/** Wait in milliseconds if the server asks for a shorter one. */
const shortestWaitMs = 50
const longestAskedMs = 86_400_000
/** A timer may fire a little early by another clock. */
const clockSlackMs = 2
/** The ids that fit into the header Last-Event-ID. */
const sendable = /^[\x21-\x7e]{1,1024}$/

/** The position in a stream of events, and the wait before the stream is resumed. */
export class ResumePoint {
  /** The id of the last event that had one. */
  id = ''
  #retryMs: number | undefined
  /** Attempts since the last one that brought a new event. */
  attempts = 0

  /** Notes the id of the last event; a new one resets the attempts. An id that no header can hold is passed over. */
  reach(id: string): void {
    if (id === this.id || !sendable.test(id)) return
    this.id = id
    this.attempts = 0
  }

  askedToWait(retryMs: number): void {
    this.#retryMs = Math.min(Math.max(retryMs, shortestWaitMs), longestAskedMs)
  }

  /** Milliseconds until the next attempt: the server's `retry`, or an increasing and randomized backoff. */
  wait(random: () => number): number {
    if (this.#retryMs !== undefined) return this.#retryMs + clockSlackMs
    return backoff(this.attempts, random)
  }
}

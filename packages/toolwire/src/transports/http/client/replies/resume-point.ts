// spec 2025-11-25, basic/transports#resumability-and-redelivery
import { backoff } from '../../../../bounds/backoff.js'

/** A server that asks for no wait at all gets a short one nevertheless. */
const shortestWaitMs = 50
const longestAskedMs = 86_400_000
/** A timer may fire a little early by another clock. */
const clockSlackMs = 2

/** How far a stream of events has been read, and when to come back for more. */
export class ResumePoint {
  /** The id of the last event that had one. */
  id = ''
  #retryMs: number | undefined
  /** Visits since the last one that brought anything. */
  attempts = 0

  /** Notes the id of the last event; one that is new is progress. */
  reach(id: string): void {
    if (id === '' || id === this.id) return
    this.id = id
    this.attempts = 0
  }

  askedToWait(retryMs: number): void {
    this.#retryMs = Math.min(Math.max(retryMs, shortestWaitMs), longestAskedMs)
  }

  /** Milliseconds until the next visit: what the server asked for, or ever more with enough chance in it to spread the clients. */
  wait(random: () => number): number {
    if (this.#retryMs !== undefined) return this.#retryMs + clockSlackMs
    return backoff(this.attempts, random)
  }
}

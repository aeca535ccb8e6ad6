/** Why a policy says no. */
export type Reason = 'unknown-tool' | 'invalid-arguments' | 'forbidden' | 'rate-limited' | 'busy' | 'not-approved' | 'timed-out'

/** A policy's no. How the peer is told is for its revision to say. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly reason: Reason
  readonly retryAfterMs: number | undefined

  constructor(reason: Reason, message: string, options?: { retryAfterMs?: number }) {
    super(message)
    this.reason = reason
    this.retryAfterMs = options?.retryAfterMs
  }
}

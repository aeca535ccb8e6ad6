/** Reasons of refusals, and whether the call was made before the refusal; undefined if a reason occurs both before and after calls. */
const reasons = {
  'unknown-tool': false,
  'invalid-arguments': false,
  forbidden: false,
  'rate-limited': false,
  // A call that has begun may be refused when it becomes a task and there are too many tasks.
  busy: undefined,
  'not-approved': false,
  'timed-out': true,
  /** The definition of the tool is not, or no longer, the accepted one. */
  'definition-changed': false,
  /** The call was made, but its result is withheld. */
  'unsafe-result': true,
  /** The audit log did not accept a record, either of the call or of its outcome. */
  unrecorded: undefined,
}
export type Reason = keyof typeof reasons

/**
 * A policy's refusal of a call. The revision decides how it is reported to the client.
 *
 * @example
 * ```ts
 * throw new Refusal('forbidden', 'Orders need an account. Sign in first.')
 * ```
 */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly reason: Reason
  readonly retryAfterMs: number | undefined
  /** All scopes that the call needs, if it was refused because some are missing. */
  readonly scopes: readonly string[] | undefined

  constructor(reason: Reason, message: string, options?: ErrorOptions & { retryAfterMs?: number; scopes?: readonly string[] }) {
    super(message, options)
    this.reason = reason
    this.retryAfterMs = options?.retryAfterMs
    this.scopes = options?.scopes
  }

  /** True if the call was made before the refusal; undefined if that is uncertain. */
  get wasCalled(): boolean | undefined {
    return reasons[this.reason]
  }
}

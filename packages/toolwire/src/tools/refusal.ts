/** Why a policy says no, and whether the call had been made by then; undefined where a reason is given before calls and after them. */
const reasons = {
  'unknown-tool': false,
  'invalid-arguments': false,
  forbidden: false,
  'rate-limited': false,
  // A call that has begun may find no room as a task.
  busy: undefined,
  'not-approved': false,
  'timed-out': true,
  /** The tool is not, or no longer, the one that was accepted. */
  'definition-changed': false,
  /** The call was made, and what came back is withheld. */
  'unsafe-result': true,
  /** The audit log did not take the record: either of the call, or of its outcome. */
  unrecorded: undefined,
}
export type Reason = keyof typeof reasons

/**
 * A policy's no. How the peer is told is for its revision to say.
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
  /** All the scopes that it takes, where more of them would turn the no into a yes. */
  readonly scopes: readonly string[] | undefined

  constructor(reason: Reason, message: string, options?: ErrorOptions & { retryAfterMs?: number; scopes?: readonly string[] }) {
    super(message, options)
    this.reason = reason
    this.retryAfterMs = options?.retryAfterMs
    this.scopes = options?.scopes
  }

  /** Whether the call had been made when the policy refused; undefined if that is not certain. */
  get wasCalled(): boolean | undefined {
    return reasons[this.reason]
  }
}

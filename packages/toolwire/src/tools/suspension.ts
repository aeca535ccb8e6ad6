import type { InputRequired } from './ask.js'

/**
 * Ends a run by throwing through the handler and the policies; the call continues when a question has been answered.
 *
 * @example
 * ```ts
 * const isSuspended = (thrown: unknown) => thrown instanceof Suspension
 * ```
 */
export class Suspension extends Error {}

/** The question is kept with the rounds of the call. */
export class SuspendedForInput extends Suspension {
  override name = 'Suspended'
}

/** Carries a handler's raw questions to the code that asks them. */
export class SuspendedWithQuestions extends Suspension {
  readonly required: InputRequired

  constructor(required: InputRequired) {
    super('Input required')
    this.required = required
  }
}

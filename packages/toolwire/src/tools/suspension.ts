import type { InputRequired } from './ask.js'

/**
 * Thrown through a handler and the policies around it to end a run: it goes on when a question has been answered.
 *
 * @example
 * ```ts
 * const isSuspended = (thrown: unknown) => thrown instanceof Suspension
 * ```
 */
export class Suspension extends Error {}

/** The question travels in what holds the rounds of the call. */
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

import type { Attempt } from './attempt.js'
import type { CheckResult } from './check-report.js'
import type { Revision } from './revisions.js'
import type { Verdict } from './verdict.js'

/** One demand of the specification that can be tried from outside. */
export type Check = Pick<CheckResult, 'id' | 'level' | 'sentence' | 'page' | 'how'> & {
  readonly revisions: readonly Revision[]
  /** Where it can be tried; everywhere if not said. */
  readonly over?: 'http' | 'stdio'
  readonly run: (attempt: Attempt) => Verdict | Promise<Verdict>
}

/** Makes checks, written by their ids, that have so much in common. */
export const checksOf =
  <C extends Partial<Check>>(common: C) =>
  (checks: { readonly [id: string]: Omit<Check, 'id' | keyof C> & Partial<Check> }): readonly Check[] =>
    Object.entries(checks).map(([id, check]) => ({ id, ...common, ...check }) as Check & C) // each has what the others have not

import type { Attempt } from './attempt.js'
import type { CheckResult } from './check-report.js'
import type { Revision } from './revisions.js'
import type { MessageRule } from './session/observations.js'
import type { Verdict } from './verdict.js'

/** One requirement of the specification that can be tried from outside. */
export type Check = Pick<CheckResult, 'id' | 'level' | 'sentence' | 'page' | 'how'> & {
  readonly revisions: readonly Revision[]
  /** The transport that the check needs; any by default. */
  readonly over?: 'http' | 'stdio'
  /** The check is about tools, and is not tried on a server without any. */
  readonly needs?: 'tools'
  /** The check is about every message, which is examined as it arrives. */
  readonly observes?: MessageRule
  readonly run: (attempt: Attempt) => Verdict | Promise<Verdict>
}

/** Makes checks from a record by id; each check gets the common properties too. */
export const checksOf =
  <C extends Partial<Check>>(common: C) =>
  (checks: { readonly [id: string]: Omit<Check, 'id' | keyof C> & Partial<Check> }): readonly Check[] =>
    Object.entries(checks).map(([id, check]) => ({ id, ...common, ...check }) as Check & C) // both together have all properties

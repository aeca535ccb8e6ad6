import type { Revision } from './editions.js'
import type { Level } from './report.js'
import type { Attempt } from './trial.js'
import type { Verdict } from './verdict.js'

/** One demand of the specification that can be tried from outside. */
export type Check = {
  readonly id: string
  readonly level: Level
  readonly revisions: readonly Revision[]
  /** Where it can be tried; everywhere if not said. */
  readonly over?: 'http' | 'stdio'
  /** In our own words. */
  readonly sentence: string
  /** The page, without its edition. */
  readonly page: string
  readonly how: string
  readonly run: (trial: Attempt) => Verdict | Promise<Verdict>
}

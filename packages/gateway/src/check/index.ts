export { type CheckOutput, checkCommand } from './command.js'
export { allRevisions } from './editions.js'
export type { CheckOptions, CheckProgress, CheckTarget } from './options.js'
export type { Emphasis } from './render/human.js'
export { type Format, formats, render } from './render/render.js'
export {
  type CheckReport,
  type CheckResult,
  type Counts,
  countOutcomes,
  type Evidence,
  type Level,
  type Outcome,
} from './report.js'
export type { Check } from './row.js'
export { allChecks } from './rows/rows.js'
export { runCheck } from './run.js'

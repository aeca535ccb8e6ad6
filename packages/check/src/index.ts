export type { Check } from './check.js'
export { type CheckOutput, checkCommand } from './check-command.js'
export type { CheckOptions, CheckProgress, CheckTarget } from './check-options.js'
export {
  type CheckReport,
  type CheckResult,
  type Counts,
  countOutcomes,
  type Evidence,
  type Level,
  type Outcome,
} from './check-report.js'
export { allChecks } from './checks/all-checks.js'
export type { Emphasis } from './render/human.js'
export { type Format, formats, render } from './render/render.js'
export { allRevisions } from './revisions.js'
export { runCheck } from './run-check.js'
export { type CheckProgramOptions, runCheckProgram } from './run-check-program.js'

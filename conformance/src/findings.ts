// The outcome of each scenario, and the scenarios without results.
import {
  type Group,
  groupOf,
  isNotRelayed,
  partOf,
  type Revision,
  required,
  revisions,
  type Scored,
  type Side,
  tasks,
  unscored,
} from './plan.js'
import { failed, type Verdict } from './verdict.js'

export type Finding = Verdict & {
  readonly side: Side
  readonly scenario: string
  readonly revision: Revision
  readonly group: Group
}
const notRelayed: Verdict = {
  outcome: 'not judged',
  reasons: ['a feature between two neighbours, which a gateway does not relay'],
}

/** The folder for the suite's results, and whether to show its output. */
export type Bench = { readonly results: string; readonly verbose: boolean }

export const finding = (side: Side, scenario: string, revision: Revision, verdict: Verdict): Finding => ({
  side,
  scenario,
  revision,
  group: groupOf(side, scenario, revision),
  ...(isNotRelayed(side, scenario) ? notRelayed : verdict),
})

/** Scenarios that should have run but have no results. For required ones only the number is known. */
export function missing(findings: readonly Finding[], side: Side, revision: Scored): string[] {
  const part = partOf(side)
  const extension = part === 'server' && revision === revisions.at(-1) ? tasks : []
  const seen = new Set(findings.map(({ scenario }) => scenario))
  const lost = required[part][revision] - findings.filter(({ group }) => group === 'required').length
  const named = [...unscored[part][revision], ...extension].filter((scenario) => !seen.has(scenario))
  return [...named, ...(lost > 0 ? [`(${lost} required scenarios)`] : [])]
}

/** The suite's reason why a scenario has no results, if it printed one. */
export function causeOf(scenario: string, output: string): string {
  const lines = output.split('\n').map((line) => line.trim())
  const failure = lines.find(
    (line) => line.startsWith(`Failed to run scenario ${scenario}`) || /^(Server|Client) test error/.test(line),
  )
  return failure ?? `no result; output of the suite: ${lines.filter(Boolean).slice(0, 3).join(' | ')}`
}

export const lost = (side: Side, scenario: string, revision: Revision, output: string): Finding =>
  finding(side, scenario, revision, failed(causeOf(scenario, output)))

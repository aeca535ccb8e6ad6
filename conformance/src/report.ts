import type { Finding } from './findings.js'
import { type Group, partOf, required, revisions, type Scored, type Side } from './plan.js'

const marks = { passed: 'ok', failed: 'FAILED', 'not judged': 'not judged' } as const

/** One line for each scenario, with the reasons of a failure. */
export function table(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ scenario }) => scenario.length))
  return findings.map((finding) => lines(finding, width)).join('\n')
}

function lines({ side, scenario, revision, outcome, reasons }: Finding, width: number): string {
  const line = `${side}  ${scenario.padEnd(width)}  ${revision}  ${marks[outcome]}`
  return [line, ...reasons.map((reason) => `    ${reason.replaceAll('\n', '\n    ')}`)].join('\n')
}

/** For example: server 30 of 30 (2025-11-25), 37 of 37 (2026-07-28), unscored 6 of 6, tasks 9 of 9 (1 not judged). */
export function summary(side: Side, findings: readonly Finding[]): string {
  const here = findings.filter((one) => one.side === side)
  const scored = revisions.map((revision) => `${requiredScore(here, side, revision)} (${revision})`).join(', ')
  const open = here.filter(({ outcome }) => outcome === 'not judged').length
  const aside = open > 0 ? ` (${open} not judged)` : ''
  const tasks = here.some(({ group, outcome }) => group === 'tasks' && outcome !== 'not judged')
    ? `, tasks ${score(here, 'tasks')}`
    : ''
  return `${side} ${scored}, unscored ${score(here, 'unscored')}${tasks}${aside}`
}

function requiredScore(findings: readonly Finding[], side: Side, revision: Scored): string {
  const here = findings.filter((one) => one.revision === revision)
  return score(here, 'required', required[partOf(side)][revision])
}

/** The score of a group, out of at least the required number. */
function score(findings: readonly Finding[], group: Group, atLeast = 0): string {
  const counted = findings.filter((one) => one.group === group && one.outcome !== 'not judged')
  const passed = counted.filter(({ outcome }) => outcome === 'passed').length
  return `${passed} of ${Math.max(atLeast, counted.length)}`
}

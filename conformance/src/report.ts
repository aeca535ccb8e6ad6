import { type Group, type Revision, required, revisions } from './plan.js'
import type { Finding } from './scenarios.js'

const marks = { passed: 'ok', failed: 'FAILED', 'not judged': 'not judged' } as const

/** One line for each scenario, failures with what was wrong. */
export function table(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ scenario }) => scenario.length))
  return findings.map((finding) => lines(finding, width)).join('\n')
}

function lines({ scenario, revision, outcome, reasons }: Finding, width: number): string {
  const line = `${scenario.padEnd(width)}  ${revision}  ${marks[outcome]}`
  return [line, ...reasons.map((reason) => `    ${reason.replaceAll('\n', '\n    ')}`)].join('\n')
}

/** Such as: server 30 of 30 (2025-11-25), 37 of 37 (2026-07-28), unscored 6 of 6, tasks 9 of 9 (1 not judged by the suite). */
export function summary(findings: readonly Finding[]): string {
  const scored = revisions.map((revision) => `${score(findings, 'server', revision)} (${revision})`).join(', ')
  const open = findings.filter(({ outcome }) => outcome === 'not judged').length
  const aside = open > 0 ? ` (${open} not judged by the suite)` : ''
  return `server ${scored}, unscored ${score(findings, 'unscored')}, tasks ${score(findings, 'tasks')}${aside}`
}

function score(findings: readonly Finding[], group: Group, revision?: Revision): string {
  const counted = findings.filter(
    (one) => one.group === group && one.outcome !== 'not judged' && (revision === undefined || one.revision === revision),
  )
  const passed = counted.filter(({ outcome }) => outcome === 'passed').length
  const expected = group === 'server' && revision ? Math.max(required[revision], counted.length) : counted.length
  return `${passed} of ${expected}`
}

import { type CheckReport, countOutcomes, levels } from '../check-report.js'
import { findingsOf, type Requirement, requirementsOf } from './requirements.js'

/** Terminal styles for emphasis; without colours they return the text unchanged. */
export type Emphasis = { readonly red: (text: string) => string; readonly dim: (text: string) => string }

const plain: Emphasis = { red: (text) => text, dim: (text) => text }

/** Lists missing requirements first, and each requirement once. */
export function renderHuman(report: CheckReport, emphasis: Emphasis = plain): string {
  if (!report.connected) return `${report.target}\nCould not connect: ${report.trouble}\n`
  const { server, revisions, trouble } = report
  const demands = requirementsOf(report)
  const are = (outcome: Requirement['outcome']) => demands.filter((demand) => demand.outcome === outcome)
  const parts = [
    [
      `${report.target}${server ? ` (${server.name} ${server.version})` : ''}`,
      `Speaks ${revisions.join(', ')}`,
      ...(trouble === undefined ? [] : [emphasis.red(`Incomplete: ${trouble}`)]),
    ],
    section('MISSING', are('missing'), (demand) => [
      emphasis.red(heading(demand)),
      ...whys(demand),
      ...evidence(demand, emphasis),
    ]),
    section('Not tried', are('not-tried'), (demand) => [heading(demand), ...whys(demand)]),
    section('Enforced', are('enforced'), (demand) => [heading(demand)]),
    summary(demands),
  ]
  return `${parts
    .filter((part) => part.length > 0)
    .map((part) => part.join('\n'))
    .join('\n\n')}\n`
}

const section = (title: string, demands: readonly Requirement[], lines: (demand: Requirement) => string[]): string[] =>
  demands.length === 0 ? [] : [title, ...demands.flatMap(lines)]

const heading = ({ level, id, sentence }: Requirement): string => `  ${level.padEnd(7)}${id.padEnd(28)}${sentence}`
const inset = (text: string): string => `${' '.repeat(9)}${text}`

const whys = (demand: Requirement): string[] =>
  findingsOf(demand).map(({ revisions, first }) => inset(`${revisions.join(', ')}: ${first.detail}`))

/** Evidence from the newest revision, because that of other revisions is much the same. */
function evidence(demand: Requirement, { dim }: Emphasis): string[] {
  const [found] = findingsOf(demand)
  return (found?.first.evidence ?? []).flatMap(({ sent, came }) => [dim(inset(`sent ${sent}`)), dim(inset(`received ${came}`))])
}

function summary(demands: readonly Requirement[]): string[] {
  return levels.map((level) => {
    const { enforced, missing, 'not-tried': untried } = countOutcomes(demands, level)
    return `${level.padEnd(7)}${enforced} enforced, ${missing} missing, ${untried} not tried`
  })
}

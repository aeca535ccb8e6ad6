import { type CheckReport, type CheckResult, count, levels, type Outcome } from '../report.js'

const marks: Readonly<Record<Outcome, string>> = { enforced: 'ok      ', missing: 'MISSING ', 'not-tried': '-       ' }

export function human(report: CheckReport): string {
  if (!report.connected) return `${report.target}\nCould not connect: ${report.trouble}\n`
  const { server } = report
  const title = `${report.target}${server ? ` (${server.name} ${server.version})` : ''}`
  return `${[title, ...report.revisions.flatMap((revision) => section(report, revision)), '', summary(report)].join('\n')}\n`
}

function section({ results }: CheckReport, revision: string): string[] {
  return ['', revision, ...results.filter((result) => result.revision === revision).flatMap(lines)]
}

function lines(result: CheckResult): string[] {
  const { outcome, level, id, sentence, detail } = result
  const line = `  ${marks[outcome]}${level.padEnd(7)}${id.padEnd(28)}${sentence}`
  if (outcome === 'enforced') return [line]
  const shown = outcome === 'missing' ? result.evidence.flatMap(({ sent, came }) => [`sent ${sent}`, `came ${came}`]) : []
  return [line, ...[detail, ...shown].map((text) => `${' '.repeat(17)}${text}`)]
}

function summary({ results }: CheckReport): string {
  return levels
    .map((level) => {
      const { enforced, missing, 'not-tried': untried } = count(results, level)
      return `${level.padEnd(7)}${enforced} enforced, ${missing} missing, ${untried} not tried`
    })
    .join('\n')
}

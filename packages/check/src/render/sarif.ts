// spec SARIF 2.1.0
import type { CheckReport, CheckResult } from '../check-report.js'
import { allChecks } from '../checks/all-checks.js'

const levels = { MUST: 'error', SHOULD: 'warning', ADVICE: 'note' } as const
const site = 'https://modelcontextprotocol.io/specification'

export function renderSarif(report: CheckReport): string {
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'toolwire check', rules: rulesOf(report) } },
        invocations: [{ executionSuccessful: report.connected && report.trouble === undefined, ...trouble(report) }],
        results: report.results.map((result) => resultOf(result, report)),
      },
    ],
  }
  return `${JSON.stringify(log, undefined, 2)}\n`
}

/** The checks that were tried, each once. */
function rulesOf({ results }: CheckReport) {
  const byId = new Map(results.map((result) => [result.id, result]))
  return allChecks.flatMap(({ id }) => {
    const result = byId.get(id)
    if (!result) return []
    const { sentence, how, level, page } = result
    return [
      {
        id,
        shortDescription: { text: sentence },
        fullDescription: { text: `${sentence} ${how}.` },
        helpUri: `${site}/${page}`,
        defaultConfiguration: { level: levels[level] },
      },
    ]
  })
}

const kinds = { enforced: 'pass', missing: 'fail', 'not-tried': 'notApplicable' } as const

function resultOf({ id, level, outcome, revision, sentence, detail, evidence }: CheckResult, { target }: CheckReport) {
  return {
    ruleId: id,
    kind: kinds[outcome],
    level: outcome === 'missing' ? levels[level] : 'none',
    message: { text: `${revision}: ${sentence} ${detail}` },
    locations: [{ logicalLocations: [{ name: id, fullyQualifiedName: `${revision}/${id}`, kind: 'member' }] }],
    partialFingerprints: { demand: `${target}/${revision}/${id}` },
    properties: { revision, outcome, evidence },
  }
}

function trouble({ trouble: text }: CheckReport) {
  return text === undefined ? {} : { toolExecutionNotifications: [{ level: 'error', message: { text } }] }
}

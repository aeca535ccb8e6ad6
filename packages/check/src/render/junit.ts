import type { CheckReport, CheckResult } from '../check-report.js'

/** One test suite for each revision and one test case for each check; checks that were not tried are skipped. */
export function renderJunit(report: CheckReport): string {
  const suites = report.revisions.map((revision) => suite(report, revision))
  if (!report.connected) suites.push(failed('connection', 'connect', report))
  else if (report.trouble !== undefined) suites.push(failed('completeness', 'complete', report))
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="toolwire check ${escaped(report.target)}">\n${suites.join('\n')}\n</testsuites>\n`
}

function suite({ results }: CheckReport, revision: string): string {
  const own = results.filter((result) => result.revision === revision)
  const of = (outcome: CheckResult['outcome']) => own.filter((result) => result.outcome === outcome).length
  const counts = `tests="${own.length}" failures="${of('missing')}" errors="0" skipped="${of('not-tried')}"`
  return `  <testsuite name="${escaped(revision)}" ${counts}>\n${own.map(testcase).join('\n')}\n  </testsuite>`
}

function testcase(result: CheckResult): string {
  const open = `    <testcase classname="${escaped(`${result.revision}.${result.level}`)}" name="${escaped(`${result.id}: ${result.sentence}`)}"`
  const inside = insideOf(result)
  return inside === '' ? `${open}/>` : `${open}>${inside}</testcase>`
}

function insideOf({ outcome, detail, level, evidence }: CheckResult): string {
  if (outcome === 'enforced') return ''
  if (outcome === 'not-tried') return `<skipped message="${escaped(detail)}"/>`
  const exchanges = evidence.map(({ sent, came }) => `sent ${sent}\nreceived ${came}`).join('\n')
  return `<failure type="${level}" message="${escaped(detail)}">${escaped(exchanges)}</failure>`
}

const failed = (suiteName: string, name: string, { trouble = '' }: CheckReport): string =>
  `  <testsuite name="${suiteName}" tests="1" failures="0" errors="1" skipped="0">\n    <testcase classname="${suiteName}" name="${name}"><error message="${escaped(trouble)}"/></testcase>\n  </testsuite>`

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '&#10;' }

/** Escapes text for XML, and replaces characters that XML does not allow. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"\n]/g, (character) => entities[character] ?? character)

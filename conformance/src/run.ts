// Runs the official conformance suite against our fixtures: `npm run conformance -- [--only <scenario>] [--verbose]`.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startFixtures } from './fixtures-process.js'
import { revisions } from './plan.js'
import { summary, table } from './report.js'
import { type Finding, runOne, runRevision } from './scenarios.js'
import { installSuite } from './suite.js'

const { values } = parseArgs({ options: { only: { type: 'string' }, verbose: { type: 'boolean', default: false } } })

installSuite()
const findings = await serverFindings()
console.log(findings.length > 0 ? table(findings) : `No scenario is called "${values.only}"`)
if (values.only === undefined) console.log(`\n${summary(findings)}`)
process.exitCode = findings.length > 0 && findings.every(({ outcome }) => outcome !== 'failed') ? 0 : 1

/** The revisions run side by side: a stateful and a stateless client at once is what a server meets anyway. */
async function serverFindings(): Promise<readonly Finding[]> {
  const results = mkdtempSync(join(tmpdir(), 'toolwire-conformance-'))
  await using fixtures = await startFixtures()
  try {
    const target = { url: fixtures.url, results, verbose: values.verbose }
    if (values.only !== undefined) return await runOne(values.only, target)
    return (await Promise.all(revisions.map((revision) => runRevision(revision, target)))).flat()
  } finally {
    rmSync(results, { recursive: true, force: true })
  }
}

// Runs the official conformance suite against our fixtures and our client:
// `npm run conformance -- [--side client|server] [--only <scenario>] [--verbose]`.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { clientFindings } from './client-scenarios.js'
import type { Bench, Finding } from './findings.js'
import { sides } from './plan.js'
import { summary, table } from './report.js'
import { serverFindings } from './server-scenarios.js'
import { installSuite } from './suite.js'

const { values } = parseArgs({
  options: { only: { type: 'string' }, side: { type: 'string' }, verbose: { type: 'boolean', default: false } },
})
const asked = sides.filter((side) => values.side === undefined || values.side === side)
if (asked.length === 0) throw new Error(`--side is one of ${sides.join(', ')}`)

installSuite()
const findings = await allFindings()
console.log(findings.length > 0 ? table(findings) : `No scenario is called "${values.only}"`)
if (values.only === undefined) console.log(`\n${asked.map((side) => summary(side, findings)).join('\n')}`)
process.exitCode = findings.length > 0 && findings.every(({ outcome }) => outcome !== 'failed') ? 0 : 1

/** The sides run one after the other. No scenario belongs to both, so a single one is looked for until a side knows it. */
async function allFindings(): Promise<readonly Finding[]> {
  const bench: Bench = { results: mkdtempSync(join(tmpdir(), 'toolwire-conformance-')), verbose: values.verbose }
  const run = { server: serverFindings, client: clientFindings }
  const found: Finding[] = []
  try {
    for (const side of asked) {
      if (values.only === undefined || found.length === 0) found.push(...(await run[side](bench, values.only)))
    }
    return found
  } finally {
    rmSync(bench.results, { recursive: true, force: true })
  }
}

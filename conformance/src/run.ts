// Runs the official conformance suite against our fixtures, our client and the gateway in front of fixtures:
// `npm run conformance -- [--side client|server|gateway] [--only <scenario>] [--url <address of that side>] [--verbose]`.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { clientFindings } from './client-scenarios.js'
import type { Bench, Finding } from './findings.js'
import type { FixturesServer } from './fixtures-process.js'
import { servers } from './gateway-sides.js'
import { type Side, sidesCalled } from './plan.js'
import { summary, table } from './report.js'
import { serverFindings } from './server-scenarios.js'
import { installSuite } from './suite.js'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    side: { type: 'string' },
    url: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
})
const asked = sidesCalled(values.side)
if (asked.length === 0)
  throw new Error(`--side is one of client, server, gateway, or one of the gateway's: ${sidesCalled('gateway').join(', ')}`)

installSuite()
const findings = await allFindings()
console.log(findings.length > 0 ? table(findings) : `No scenario is called "${values.only}"`)
if (values.only === undefined) console.log(`\n${asked.map((side) => summary(side, findings)).join('\n')}`)
process.exitCode = findings.length > 0 && findings.every(({ outcome }) => outcome !== 'failed') ? 0 : 1

/** The sides run one after the other. Where no side was named, a single scenario is looked for until one knows it. */
async function allFindings(): Promise<readonly Finding[]> {
  const bench: Bench = { results: mkdtempSync(join(tmpdir(), 'toolwire-conformance-')), verbose: values.verbose }
  const found: Finding[] = []
  try {
    for (const side of asked) {
      if (values.only === undefined || values.side !== undefined || found.length === 0)
        found.push(...(await findingsOf(side, bench)))
    }
    return found
  } finally {
    rmSync(bench.results, { recursive: true, force: true })
  }
}

function findingsOf(side: Side, bench: Bench): Promise<readonly Finding[]> {
  if (side === 'client') return clientFindings(bench, values.only)
  // What a server on a pipe logs does not say for whom, and is passed on only while it can be for nobody else.
  return serverFindings({ side, start: startOf(side), sideBySide: side !== 'gateway-stdio' }, bench, values.only)
}

/** A server that runs already is neither started nor ended. */
function startOf(side: Exclude<Side, 'client'>): () => Promise<FixturesServer> {
  const { url } = values
  return url === undefined ? servers[side] : async () => ({ url, [Symbol.asyncDispose]: async () => undefined })
}

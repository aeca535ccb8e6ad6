// Runs the official conformance suite against our fixtures, our client and the gateway in front of fixtures.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { clientFindings } from './client-scenarios.js'
import type { Bench, Finding } from './findings.js'
import type { FixturesServer } from './fixtures-process.js'
import { servers } from './gateway-sides.js'
import { inTurns } from './in-turns.js'
import { type Side, sidesCalled } from './plan.js'
import { summary, table } from './report.js'
import { serverFindings } from './server-scenarios.js'
import { installSuite } from './suite.js'

const usage = `usage: npm run conformance [-- options]
Runs the official conformance suite against a server, a client, and the gateway in front of servers.

  --side SIDE         client, server, gateway, or one of ${sidesCalled('gateway').join(', ')}
  --only SCENARIO     only this scenario
  --url ADDRESS       tests a running server instead of starting one
  --verbose           prints what the suite prints`
if (process.argv.includes('--help')) {
  console.log(usage)
  process.exit(0)
}

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    side: { type: 'string' },
    url: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
})
const sidesToRun = sidesCalled(values.side)
if (sidesToRun.length === 0)
  throw new Error(`--side must be client, server, gateway, or a side of the gateway: ${sidesCalled('gateway').join(', ')}`)

installSuite()
const findings = await allFindings()
console.log(findings.length > 0 ? table(findings) : `There is no scenario "${values.only}"`)
if (values.only === undefined) console.log(`\n${sidesToRun.map((side) => summary(side, findings)).join('\n')}`)
process.exitCode = findings.length > 0 && findings.every(({ outcome }) => outcome !== 'failed') ? 0 : 1

/**
 * Runs the sides; a single scenario without a named side runs on the first side that knows it. The client comes first, while nothing else
 * runs, because its scenarios measure time. Servers spend most of their time waiting.
 */
async function allFindings(): Promise<readonly Finding[]> {
  const bench: Bench = { results: mkdtempSync(join(tmpdir(), 'toolwire-conformance-')), verbose: values.verbose }
  const first = sidesToRun.filter((side) => side === 'client')
  const others = sidesToRun.filter((side) => side !== 'client')
  const run = (side: Side) => findingsOf(side, bench)
  try {
    if (values.only === undefined) return [...(await inTurns(first, 1, run)), ...(await inTurns(others, 3, run))].flat()
    for (const side of sidesToRun) {
      const found = await run(side)
      if (found.length > 0 || values.side !== undefined) return found
    }
    return []
  } finally {
    rmSync(bench.results, { recursive: true, force: true })
  }
}

function findingsOf(side: Side, bench: Bench): Promise<readonly Finding[]> {
  if (side === 'client') return clientFindings(bench, values.only)
  // Logs of a stdio server do not name their request, and are relayed only while there is one client. So revisions run one by one there.
  return serverFindings({ side, start: startOf(side), sideBySide: side !== 'gateway-stdio' }, bench, values.only)
}

/** Uses a server that runs already, without starting or stopping it. */
function startOf(side: Exclude<Side, 'client'>): () => Promise<FixturesServer> {
  const { url } = values
  return url === undefined ? servers[side] : async () => ({ url, [Symbol.asyncDispose]: async () => undefined })
}

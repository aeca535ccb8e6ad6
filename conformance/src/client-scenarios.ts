// Runs every scenario of the suite against our client program, each in a process of its own, and collects the findings.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Bench, type Finding, finding, lost, missing } from './findings.js'
import { inTurns } from './in-turns.js'
import { needsQuiet, type Revision, revisions, type Scored, unscored } from './plan.js'
import { runSuite } from './suite.js'
import { type Check, judge, withProcess } from './verdict.js'

type Play = { readonly scenario: string; readonly revision: Revision }

const program = fileURLToPath(new URL('./client.js', import.meta.url))
/** The suite splits this command at blanks, joins it again, and passes it to a shell. */
const command = `"${process.execPath}" "${program}"`
const patienceMs = 60_000
/** A play needs two processes, a suite and a client, which spend half of their time waiting. */
const atOnce = 3

export async function clientFindings(bench: Bench, only: string | undefined): Promise<readonly Finding[]> {
  const plays = (await allPlays(bench)).filter(({ scenario }) => only === undefined || scenario === only)
  const quiet = plays.filter(({ scenario }) => needsQuiet.has(scenario))
  const others = plays.filter(({ scenario }) => !needsQuiet.has(scenario))
  const findings = [
    ...(await inTurns(quiet, 1, (play) => run(play, bench))),
    ...(await inTurns(others, atOnce, (play) => run(play, bench))),
  ]
  return only === undefined ? [...findings, ...revisions.flatMap((revision) => absent(findings, revision))] : findings
}

/** The scenarios that a revision requires, and those that the suite runs without scoring them. */
async function allPlays(bench: Bench): Promise<readonly Play[]> {
  const needed = revisions.map(async (revision) => {
    const scenarios = await requiredScenarios(revision, bench)
    return [...scenarios, ...unscored.client[revision]].map((scenario) => ({ scenario, revision }))
  })
  const oldest = '2025-03-26'
  return [
    ...(await Promise.all(needed)).flat(),
    ...unscored.client[oldest].map((scenario) => ({ scenario, revision: oldest }) as const),
  ]
}

async function requiredScenarios(revision: Scored, bench: Bench): Promise<readonly string[]> {
  const { output } = await runSuite(['list', '--requirements', revision], bench)
  const [section = ''] = output.split('Client scenarios')[1]?.split('\n\n') ?? []
  return Array.from(section.matchAll(/^ +- (\S+)$/gm), ([, scenario = '']) => scenario)
}

function absent(findings: readonly Finding[], revision: Scored): Finding[] {
  const here = findings.filter((one) => one.revision === revision)
  return missing(here, 'client', revision).map((scenario) => lost('client', scenario, revision, 'nothing'))
}

/** `--force` runs extensions in every revision, as the suite does when it runs all scenarios of a revision. */
async function run({ scenario, revision }: Play, bench: Bench): Promise<Finding> {
  const results = join(bench.results, 'client', revision, scenario)
  const play = ['--scenario', scenario, '--spec-version', revision, '--force', '--timeout', String(patienceMs)]
  const suite = await runSuite(['client', '--command', command, ...play, '-o', results], bench)
  const checks = readChecks(results)
  if (checks === undefined) return lost('client', scenario, revision, suite.output)
  return finding('client', scenario, revision, withProcess(judge(scenario, revision, checks), suite))
}

/** Reads the results, which the suite writes into a folder named after the scenario and the time. */
function readChecks(results: string): Check[] | undefined {
  if (!existsSync(results)) return undefined
  const file = readdirSync(results, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith('checks.json'))
  return file === undefined ? undefined : (JSON.parse(readFileSync(join(results, file), 'utf8')) as Check[]) // the suite's own format
}

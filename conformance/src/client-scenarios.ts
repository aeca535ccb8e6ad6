// Lets the suite play every scenario against our client program, one process each, and collects what it found.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Bench, type Finding, finding, lost, missing } from './findings.js'
import { needsQuiet, type Revision, revisions, type Scored, unscored } from './plan.js'
import { runSuite } from './suite.js'
import { type Check, judge, withProcess } from './verdict.js'

type Play = { readonly scenario: string; readonly revision: Revision }

const program = fileURLToPath(new URL('./client.js', import.meta.url))
/** The suite hands this to a shell, and cuts it at blanks and joins it again first. */
const command = `"${process.execPath}" "${program}"`
const patienceMs = 60_000
/** A play is a suite and a client, and half of its time is waiting. */
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

/** What the revisions require, as the suite lists it, and what it can run besides. */
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

/** `--force` lets extensions run in each revision, as they do where the suite runs all that a revision asks for. */
async function run({ scenario, revision }: Play, bench: Bench): Promise<Finding> {
  const results = join(bench.results, 'client', revision, scenario)
  const play = ['--scenario', scenario, '--spec-version', revision, '--force', '--timeout', String(patienceMs)]
  const suite = await runSuite(['client', '--command', command, ...play, '-o', results], bench)
  const checks = readChecks(results)
  if (checks === undefined) return lost('client', scenario, revision, suite.output)
  return finding('client', scenario, revision, withProcess(judge(scenario, revision, checks), suite))
}

/** The suite writes them into a folder that is named after the scenario and the time. */
function readChecks(results: string): Check[] | undefined {
  if (!existsSync(results)) return undefined
  const file = readdirSync(results, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith('checks.json'))
  return file === undefined ? undefined : (JSON.parse(readFileSync(join(results, file), 'utf8')) as Check[]) // the suite's own format
}

/** So many at once, each worker taking the next from the same iterator. */
async function inTurns<T, R>(items: readonly T[], workers: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const queue = items.entries()
  const worker = async () => {
    for (const [place, item] of queue) results[place] = await work(item)
  }
  await Promise.all(Array.from({ length: workers }, worker))
  return results
}

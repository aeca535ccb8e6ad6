// Runs the scenarios against a server with the fixtures, and collects the findings.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, type Finding, finding, lost, missing } from './findings.js'
import type { FixturesServer } from './fixtures-process.js'
import { revisions, type Scored, type Side, tasks } from './plan.js'
import { runSuite } from './suite.js'
import { type Check, failed, judge } from './verdict.js'

type Target = Bench & { readonly side: Side; readonly url: string }
/** The side to test, and how to start it. */
export type ServerSide = {
  readonly side: Side
  readonly start: () => Promise<FixturesServer>
  /** May the revisions run at once? Real servers meet stateful and stateless clients at the same time too. */
  readonly sideBySide: boolean
}

export async function serverFindings(
  { side, start, sideBySide }: ServerSide,
  bench: Bench,
  only: string | undefined,
): Promise<readonly Finding[]> {
  await using fixtures = await start()
  const target = { ...bench, results: join(bench.results, side), side, url: fixtures.url }
  if (only !== undefined) return await runOne(only, target)
  if (sideBySide) return (await Promise.all(revisions.map((revision) => runRevision(revision, target)))).flat()
  const findings: Finding[] = []
  for (const revision of revisions) findings.push(...(await runRevision(revision, target)))
  return findings
}

/** Runs all scenarios of a revision, required or not. */
async function runRevision(revision: Scored, target: Target): Promise<readonly Finding[]> {
  const results = join(target.results, revision)
  const { exitCode, output } = await runSuite(['server', '--url', target.url, '--requirements', revision, '-o', results], target)
  const findings = readFindings(results, target.side, revision)
  const absent = missing(findings, target.side, revision).map((scenario) => lost(target.side, scenario, revision, output))
  const unexplained = exitCode !== 0 && [...findings, ...absent].every(({ outcome }) => outcome !== 'failed')
  return [
    ...findings,
    ...absent,
    ...(unexplained ? [finding(target.side, '(the suite itself)', revision, failed(`exit code ${exitCode}`))] : []),
  ]
}

/** Runs one scenario in each revision that knows it. */
async function runOne(scenario: string, target: Target): Promise<readonly Finding[]> {
  const extension = tasks.includes(scenario)
  const runs = (extension ? revisions.slice(-1) : revisions).map(async (revision) => {
    const results = join(target.results, revision)
    const version = extension ? [] : ['--spec-version', revision] // in the suite, extensions are independent of revisions
    const { output } = await runSuite(['server', '--url', target.url, '--scenario', scenario, ...version, '-o', results], target)
    if (output.startsWith('SKIPPED')) return []
    const findings = readFindings(results, target.side, revision)
    return findings.length > 0 ? findings : [lost(target.side, scenario, revision, output)]
  })
  return (await Promise.all(runs)).flat()
}

/** Reads the results. The suite writes a folder for each scenario, named `server-<scenario>-<time>`. */
function readFindings(results: string, side: Side, revision: Scored): Finding[] {
  if (!existsSync(results)) return []
  return readdirSync(results).flatMap((folder) => {
    const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(folder)?.[1]
    const file = join(results, folder, 'checks.json')
    if (scenario === undefined || !existsSync(file)) return []
    const checks = JSON.parse(readFileSync(file, 'utf8')) as Check[] // the suite's own format
    return [finding(side, scenario, revision, judge(scenario, revision, checks))]
  })
}

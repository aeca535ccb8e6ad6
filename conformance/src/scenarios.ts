// Runs scenarios against a server and collects what each of them found.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Group, groupOf, type Revision, required, revisions, tasks, unscored } from './plan.js'
import { runSuite } from './suite.js'
import { type Check, failed, judge, type Verdict } from './verdict.js'

export type Finding = Verdict & { readonly scenario: string; readonly revision: Revision; readonly group: Group }
export type Target = { readonly url: string; readonly results: string; readonly verbose: boolean }

/** Everything a revision asks for, required or not. */
export async function runRevision(revision: Revision, target: Target): Promise<readonly Finding[]> {
  const results = join(target.results, revision)
  const { exitCode, output } = await runSuite(['server', '--url', target.url, '--requirements', revision, '-o', results], target)
  const findings = readFindings(results, revision)
  const lost = missing(findings, revision).map((scenario) => finding(scenario, revision, failed(causeOf(scenario, output))))
  const unexplained = exitCode !== 0 && [...findings, ...lost].every(({ outcome }) => outcome !== 'failed')
  return [
    ...findings,
    ...lost,
    ...(unexplained ? [finding('(the suite itself)', revision, failed(`exit code ${exitCode}`))] : []),
  ]
}

/** One scenario in every revision that knows it. */
export async function runOne(scenario: string, target: Target): Promise<readonly Finding[]> {
  const extension = tasks.includes(scenario)
  const runs = (extension ? revisions.slice(-1) : revisions).map(async (revision) => {
    const results = join(target.results, revision)
    const version = extension ? [] : ['--spec-version', revision] // extensions stand beside the revisions, says the suite
    const { output } = await runSuite(['server', '--url', target.url, '--scenario', scenario, ...version, '-o', results], target)
    if (output.startsWith('SKIPPED')) return []
    const findings = readFindings(results, revision)
    return findings.length > 0 ? findings : [finding(scenario, revision, failed(causeOf(scenario, output)))]
  })
  return (await Promise.all(runs)).flat()
}

/** The suite writes one folder for each scenario, named `server-<scenario>-<time>`. */
function readFindings(results: string, revision: Revision): Finding[] {
  if (!existsSync(results)) return []
  return readdirSync(results).flatMap((folder) => {
    const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(folder)?.[1]
    const file = join(results, folder, 'checks.json')
    if (scenario === undefined || !existsSync(file)) return []
    const checks = JSON.parse(readFileSync(file, 'utf8')) as Check[] // the suite's own format
    return [finding(scenario, revision, judge(scenario, revision, checks))]
  })
}

const finding = (scenario: string, revision: Revision, verdict: Verdict): Finding => ({
  scenario,
  revision,
  group: groupOf(scenario, revision),
  ...verdict,
})

/** Scenarios that should have run and left nothing behind; the required ones are known by their number only. */
function missing(findings: readonly Finding[], revision: Revision): string[] {
  const named = [...unscored[revision], ...(revision === revisions.at(-1) ? tasks : [])]
  const seen = new Set(findings.map(({ scenario }) => scenario))
  const lost = required[revision] - findings.filter(({ group }) => group === 'server').length
  return [...named.filter((scenario) => !seen.has(scenario)), ...(lost > 0 ? [`(${lost} required scenarios)`] : [])]
}

/** Why a scenario left nothing behind, as far as the suite has said so. */
function causeOf(scenario: string, output: string): string {
  const lines = output.split('\n').map((line) => line.trim())
  const told = lines.find((line) => line.startsWith(`Failed to run scenario ${scenario}`) || line.startsWith('Server test error'))
  return told ?? `left no result; the suite said: ${lines.filter(Boolean).slice(0, 3).join(' | ')}`
}

import { describe, expect, it } from 'vitest'
import { eachNth } from '../../toolwire/test/soak.js'
import { allChecks, type CheckOptions, type CheckReport, type CheckResult, type CheckTarget, runCheck } from '../src/index.js'
import { cases } from './faults/cases.js'
import { always, changingStream, listChanged, streamed } from './faults/changes.js'
import { sound } from './faults/correct-server.js'
import { pipeCases } from './faults/pipe.js'
import { faulty } from './faulty.js'
import { changing } from './server-programs.js'

// Shared machines are slow at times.
const timeoutMs = 6_000
const missing = ({ outcome }: CheckResult): boolean => outcome === 'missing'
const missingIn = ({ results }: CheckReport): string[] => results.filter(missing).map(({ id }) => id)
const check = (target: CheckTarget, revision: string, options: CheckOptions) =>
  runCheck(target, { revisions: [revision], timeoutMs, ...options })

/** Slow checks run only on request, and do not reveal the other faults. */
const slowly = { slow: { name: 'slow', args: {} } }
const all = allChecks.map(({ id }) => id)
const around = (row: string): CheckOptions => ({
  only: all.filter((id) => row.startsWith('strain-') || !id.startsWith('strain-')),
  ...(row === 'cancel-honoured' && slowly),
})

/** Checks that other tests cover, because they need servers with their own limits. */
const testedElsewhere = ['call-limited']

describe('The broken servers', () => {
  it('exist for each check', () => {
    const broken = new Set([...cases, ...pipeCases].map(([row]) => row).concat(testedElsewhere))
    expect(all.filter((id) => !broken.has(id))).toEqual([])
    expect([...broken].filter((id) => !all.includes(id))).toEqual([])
  })
})

describe('A server without a fault', () => {
  const revisions = [...new Set(cases.map(([, revision]) => revision))]

  it.each(revisions)('passes every check that a broken server fails in %s', async (revision) => {
    await using server = await faulty({})
    const report = await check({ url: server.url }, revision, slowly)
    expect(missingIn(report)).toEqual([])
    expect(untold(report, cases)).toEqual([])
  })

  it('passes the checks over stdio', async () => {
    const report = await check(changing('(line) => line'), '2025-11-25', around(''))
    expect(missingIn(report)).toEqual([])
    expect(untold(report, pipeCases)).toEqual([])
  })

  it.each(eachNth(sound, 6))('may be one that %s, in %s', async (_, revision, fault) => {
    await using server = await faulty(fault())
    const report = await check({ url: server.url }, revision, around(''))
    expect(missingIn(report)).toEqual([])
  })
})

/** The checks with a broken server that did not pass. A correct server need not change its tools. */
function untold(
  { results }: CheckReport,
  broken: readonly (readonly [row: string, revision: string, ...rest: unknown[]])[],
): string[] {
  return results.flatMap(({ id, revision, outcome, detail }) =>
    id !== 'changes-declared' && outcome !== 'enforced' && broken.some(([row, brokenIn]) => row === id && brokenIn === revision)
      ? [`${id}: ${detail}`]
      : [],
  )
}

describe.concurrent('A server with one fault', () => {
  it.each(eachNth(cases, 12))('fails only %s, in %s', async (row, revision, fault) => {
    await using server = await faulty(fault())
    const report = await check({ url: server.url }, revision, around(row))
    expect(missingIn(report)).toEqual([row])
    expect(report.results.find(missing)?.detail).not.toBe('')
  })
})

describe('A program with one fault', () => {
  it.each(eachNth(pipeCases, 4))('fails only %s, in %s: it %s', async (row, revision, _, change) => {
    expect(missingIn(await check(changing(change), revision, around(row)))).toEqual([row])
  })
})

describe('A notification of a declared capability', () => {
  it('is allowed', async () => {
    await using server = await faulty(changingStream(always, (reply) => streamed(listChanged, reply))())
    const report = await check({ url: server.url }, '2025-11-25', { only: ['call-answered', 'changes-declared'] })
    expect(report.results.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['call-answered', 'enforced'],
      ['changes-declared', 'enforced'],
    ])
  })
})

import { describe, expect, it } from 'vitest'
import { eachNth } from '../../toolwire/test/soak.js'
import { allChecks, type CheckOptions, type CheckReport, type CheckResult, type CheckTarget, runCheck } from '../src/index.js'
import { cases } from './faults/cases.js'
import { always, listChanged, steps, streamed } from './faults/changes.js'
import { sound } from './faults/correct-server.js'
import { pipeCases } from './faults/pipe.js'
import { faulty } from './faulty.js'
import { changing } from './server-programs.js'

/** Machines that many share are slow at times. */
const timeoutMs = 6_000
const missing = ({ outcome }: CheckResult): boolean => outcome === 'missing'
const missingIn = ({ results }: CheckReport): string[] => results.filter(missing).map(({ id }) => id)
const check = (target: CheckTarget, revision: string, options: CheckOptions) =>
  runCheck(target, { revisions: [revision], timeoutMs, ...options })

/** What takes its time is tried where it is asked for, and shows nothing of the other faults. */
const slowly = { slow: { name: 'slow', args: {} } }
const all = allChecks.map(({ id }) => id)
const around = (row: string): CheckOptions => ({
  only: all.filter((id) => row.startsWith('strain-') || !id.startsWith('strain-')),
  ...(row === 'cancel-honoured' && slowly),
})

/** Shown by another test: it takes servers with limits of their own. */
const elsewhere = ['call-limited']

describe('The broken servers', () => {
  it('are there for each demand', () => {
    const broken = new Set([...cases, ...pipeCases].map(([row]) => row).concat(elsewhere))
    expect(all.filter((id) => !broken.has(id))).toEqual([])
    expect([...broken].filter((id) => !all.includes(id))).toEqual([])
  })
})

describe('A server without a fault', () => {
  const revisions = [...new Set(cases.map(([, revision]) => revision))]

  it.each(revisions)('does all that is asked of a broken one in %s', async (revision) => {
    await using server = await faulty({})
    const report = await check({ url: server.url }, revision, slowly)
    expect(missingIn(report)).toEqual([])
    expect(untold(report, cases)).toEqual([])
  })

  it('does so over a pipe', async () => {
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

/** What it is not seen to do; the tools of a good server need not change. */
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
  it.each(eachNth(cases, 12))('is found out by %s alone, in %s', async (row, revision, fault) => {
    await using server = await faulty(fault())
    const report = await check({ url: server.url }, revision, around(row))
    expect(missingIn(report)).toEqual([row])
    expect(report.results.find(missing)?.detail).not.toBe('')
  })
})

describe('A program with one fault', () => {
  it.each(eachNth(pipeCases, 4))('is found out by %s alone, in %s: it %s', async (row, revision, _, change) => {
    expect(missingIn(await check(changing(change), revision, around(row)))).toEqual([row])
  })
})

describe('A change that was declared', () => {
  it('may be told', async () => {
    await using server = await faulty(steps(always, (said) => streamed(listChanged, said))())
    const report = await check({ url: server.url }, '2025-11-25', { only: ['call-answered', 'changes-declared'] })
    expect(report.results.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['call-answered', 'enforced'],
      ['changes-declared', 'enforced'],
    ])
  })
})

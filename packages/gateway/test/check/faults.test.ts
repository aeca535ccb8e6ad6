import { describe, expect, it } from 'vitest'
import { type CheckReport, type CheckResult, rows, runCheck } from '../../src/check/index.js'
import { cases } from './faults.js'
import { faulty } from './faulty.js'

const missing = ({ outcome }: CheckResult): boolean => outcome === 'missing'
const missingIn = ({ results }: CheckReport): string[] => results.filter(missing).map(({ id }) => id)
const check = (url: string, revision: string, only: readonly string[]) =>
  runCheck({ url }, { revisions: [revision], timeoutMs: process.env.CI ? 1_500 : 700, only })

/** The strain takes its time, and shows nothing of the other faults. */
const only = (row: string): string[] =>
  rows.map(({ id }) => id).filter((id) => row.startsWith('strain-') || !id.startsWith('strain-'))

describe('A server without a fault', () => {
  it.each([...new Set(cases.map(([, revision]) => revision))])('misses nothing in %s', async (revision) => {
    await using server = await faulty({})
    const report = await check(server.url, revision, only('strain-'))
    expect(missingIn(report)).toEqual([])
    expect(report.results.length).toBeGreaterThan(60)
  })
})

describe.concurrent('A server with one fault', () => {
  it.each(cases)('is found out by %s alone, in %s', { timeout: 60_000 }, async (row, revision, fault) => {
    await using server = await faulty(fault())
    const report = await check(server.url, revision, only(row))
    expect(missingIn(report)).toEqual([row])
    expect(report.results.find(missing)?.detail).not.toBe('')
  })
})

import { listen } from 'toolwire/node'
import { describe, expect, it } from 'vitest'
import { programOf } from '../../../toolwire/test/interop/servers/launch.js'
import { type CheckReport, type CheckTarget, rows, runCheck } from '../../src/check/index.js'
import { everything, late, ours, sdkV1, sdkV2 } from './programs.js'
import { shop } from './shop.js'

const all = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
const slow = { name: 'slow', args: {} }
const missing = ({ results }: CheckReport): string[] =>
  results.flatMap(({ id, revision, outcome, detail }) => (outcome === 'missing' ? [`${revision} ${id}: ${detail}`] : []))
const outcome = ({ results }: CheckReport, id: string) => new Set(results.flatMap((one) => (one.id === id ? [one.outcome] : [])))

describe('Our own server', () => {
  it('misses nothing over HTTP, in any edition', { timeout: 120_000 }, async () => {
    const listening = await listen(shop(), { signals: false })
    try {
      const report = await runCheck({ url: listening.url }, { slow, timeoutMs: 3_000 })
      expect(report.revisions).toEqual(all)
      expect(report.server).toEqual({ name: 'shop', version: '1.0.0' })
      expect(missing(report)).toEqual([])
      // Where calling off is hanging up, nobody is there to see what comes then.
      expect(outcome(report, 'cancel-honoured')).toEqual(new Set(['not-tried', 'enforced']))
      expect(outcome(report, 'http-host')).toEqual(new Set(['enforced']))
    } finally {
      await listening.close()
    }
  })

  it('misses nothing over a pipe, in any edition', { timeout: 120_000 }, async () => {
    const report = await runCheck(ours, { slow: { name: 'wait', args: {} }, timeoutMs: 3_000 })
    expect(report.revisions).toEqual(all)
    expect(missing(report)).toEqual([])
    expect(outcome(report, 'cancel-honoured')).toEqual(new Set(['enforced']))
    expect(outcome(report, 'stdio-only-messages')).toEqual(new Set(['enforced']))
  })

  it('may take its time to start', { timeout: 60_000 }, async () => {
    const only = ['base-ping-before-opening', 'open-unknown-version', 'open-first']
    const report = await runCheck(late(1_500), { revisions: ['2025-11-25'], only, timeoutMs: 500 })
    expect(report.results.map(({ id, outcome }) => [id, outcome])).toEqual(only.map((id) => [id, 'enforced']))
  })

  it.each([
    ['enforced', { rateLimit: { server: { calls: 5, per: 'minute' } } } as const],
    ['missing', { rateLimit: false } as const],
  ])('when it is flooded, has its limit %s', { timeout: 60_000 }, async (wanted, guard) => {
    const listening = await listen(shop({ guard }), { signals: false })
    try {
      const report = await runCheck({ url: listening.url }, { only: ['call-limited'], revisions: ['2025-11-25'], flood: 30 })
      expect(report.results).toMatchObject([{ id: 'call-limited', outcome: wanted }])
    } finally {
      await listening.close()
    }
  })
})

const others: [string, () => CheckTarget | Promise<CheckTarget>][] = [
  ['the official SDK, v1', () => sdkV1],
  ['the official SDK, v2', () => sdkV2],
  ['server-everything', () => everything],
  ['fastmcp', () => programOf('fastmcp', 'stdio')],
]

// Most of it is waiting for what does not come.
describe.concurrent('A server on somebody else’s code', () => {
  it.each(others)('gets a whole report: %s', { timeout: 180_000 }, async (_, target) => {
    const report = await runCheck(await target(), { revisions: ['2025-11-25'], timeoutMs: 1_500 })
    expect(report.revisions).toEqual(['2025-11-25'])
    expect(report.results.map(({ id }) => id)).toEqual(
      rows.filter(({ editions }) => editions.some(({ version }) => version === '2025-11-25')).map(({ id }) => id),
    )
    expect(outcome(report, 'base-id-echoed')).toEqual(new Set(['enforced']))
    expect(outcome(report, 'list-shape')).toEqual(new Set(['enforced']))
    for (const { detail, evidence } of report.results) {
      expect(detail).not.toBe('')
      for (const { sent, came } of evidence) expect(Math.max(sent.length, came.length)).toBeLessThan(5_000)
    }
  })
})

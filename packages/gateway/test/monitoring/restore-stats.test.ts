// The overview after a restart shows earlier calls.
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ownWork } from '../../../toolwire/test/loop-watch.js'
import { expectAfter, expectWithin, howMany } from '../../../toolwire/test/soak.js'
import { restoreStats } from '../../src/monitoring/stats/restore-stats.js'
import { CallStats, type StatsView } from '../../src/monitoring/stats/stats.js'
import { longLog } from '../support/long-log.js'
import { ask, client, folder, started, storeIn, until } from '../support/running-gateway.js'
import { tamper } from '../support/tampered-log.js'
import { notes, open } from '../support/upstream-configs.js'

const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0)
const statsOf = async (gateway: { readonly port: number }, minutes = 60, by = 'tool') =>
  (await ask(gateway, `/stats?minutes=${minutes}&by=${by}`)).body as unknown as StatsView
const keysIn = ({ series }: StatsView) => Object.fromEntries(series.map(({ key, calls }) => [key, sum(calls)]))

describe('after a restart', () => {
  it('the charts contain the earlier and the new calls, each once, and the reached limits', async () => {
    const dataDir = join(folder(), 'data')
    const rate = { calls: 3, per: 'minute', burst: 3 } as const
    const given = {
      dataDir,
      upstreams: [notes()],
      guard: { ...open, rate },
      apiKey: 'the-operators-own-key-Zr4mQ8vK2sXw6TnB9cLd',
    }
    const headers = { authorization: 'Bearer the-operators-own-key-Zr4mQ8vK2sXw6TnB9cLd' }
    const first = await started(given)
    const one = await client(first.url, { headers })
    await one.call('notes__slow', { ms: 80 })
    for (let n = 0; n < 4; n++) await one.call('notes__write', { text: 'x' }).catch(() => undefined)
    await ask(first, '/servers/notes/restart', { method: 'POST' })
    const before = await statsOf(first)
    await first.close({ drainMs: 0 })

    const second = await started(given)
    await until(async () => sum((await statsOf(second)).total.calls) > 0)
    const after = await statsOf(second)
    expect(keysIn(after)).toEqual(keysIn(before))
    expect([sum(after.total.refused), sum(after.total.limited)]).toEqual([1, 1])
    expect(after.limits).toEqual([expect.objectContaining({ tool: 'notes__write', caller: 'operator', count: 1 })])
    expect(after.since).toBeLessThan(before.from + 360 * before.stepMs)
    const slow = after.series.find(({ key }) => key === 'notes__slow')?.p95.filter((ms) => ms !== null) ?? []
    expectAfter(slow[0], 60)
    expect(keysIn(await statsOf(second, 1_440, 'server'))).toEqual({ notes: 5 })

    const again = await client(second.url, { headers })
    await again.call('notes__read')
    expect(keysIn(await statsOf(second))).toEqual({ ...keysIn(before), notes__read: 1 })
  })

  it('a call that waited long is counted at its end, and others meanwhile at theirs', async () => {
    const store = await storeIn(join(folder(), 'data'))
    const now = Math.floor(Date.now() / 60_000) * 60_000
    const call = (id: string, at: number, durationMs: number) => {
      const common = { id, tool: id, definitionHash: 'none', caller: 'eve', server: 's' }
      return [
        { ...common, kind: 'intent' as const, at, arguments: {} },
        {
          ...common,
          kind: 'outcome' as const,
          at: at + durationMs,
          durationMs,
          decision: 'allowed' as const,
          outcome: 'ok' as const,
        },
      ] as const
    }
    const waited = call('waited', now - 30 * 60_000, 20 * 60_000)
    const quick = call('quick', now - 25 * 60_000, 10)
    const old = call('old', now - 25 * 3_600_000, 10)
    for (const record of [...old, waited[0], ...quick, waited[1]]) await store.audit.append(record)
    const stats = new CallStats()
    await restoreStats(stats, store, new AbortController().signal)
    const { from, stepMs, series, since } = stats.view(60, 'tool')
    const endOf = (key: string) => from + (series.find((one) => one.key === key)?.calls.indexOf(1) ?? -1) * stepMs
    expect(series.map(({ key }) => key).sort()).toEqual(['quick', 'waited'])
    expect([endOf('quick'), endOf('waited')]).toEqual([now - 25 * 60_000, now - 10 * 60_000])
    expect(since).toBeLessThan(now - 23 * 3_600_000)
    await store.close()
  })

  it('a call that was refused as busy is not a reached limit, because a shutdown refuses calls as busy, too', async () => {
    const store = await storeIn(join(folder(), 'data'))
    const refused = (id: string, reason: 'busy' | 'rate-limited') => {
      const common = { id, tool: reason, definitionHash: 'none', caller: 'eve', server: 's', at: Date.now() }
      const ending = { durationMs: 0, decision: 'refused', outcome: 'refused', reason } as const
      return [
        { ...common, kind: 'intent', arguments: {} },
        { ...common, kind: 'outcome', ...ending },
      ] as const
    }
    for (const record of [...refused('1', 'busy'), ...refused('2', 'rate-limited')]) await store.audit.append(record)
    const stats = new CallStats()
    await restoreStats(stats, store, new AbortController().signal)
    const { total, limits } = stats.view(60, 'tool')
    expect([sum(total.refused), sum(total.limited)]).toEqual([2, 1])
    expect(limits.map(({ tool }) => tool)).toEqual(['rate-limited'])
    await store.close()
  })

  async function readyIn(dataDir: string) {
    const begun = performance.now()
    const gateway = await started({ dataDir, upstreams: [notes()] })
    expect((await statsOf(gateway)).stepMs).toBe(10_000)
    return { gateway, ms: performance.now() - begun }
  }

  it('nothing is delayed: with a long log the gateway is ready about as soon as with none', async () => {
    const records = howMany(100_000, 1_000_000)
    const empty = await readyIn(join(folder(), 'empty'))
    const dataDir = join(folder(), 'data')
    await (await storeIn(dataDir)).close()
    const from = Date.now() - records * 1_000
    ownWork(() => tamper(dataDir, longLog(records, from)))
    const { gateway, ms } = await readyIn(dataDir)
    expectWithin(ms, 3 * empty.ms + 2_000)
    // One call every two seconds.
    await until(async () => sum((await statsOf(gateway, 60)).total.calls) >= 1_780, 60_000)
    expect(sum((await statsOf(gateway, 1_440)).total.calls)).toBeGreaterThan(42_000)
  })
})

import { describe, expect, it } from 'vitest'
import type { Series, Stats } from '../../src/api/types.js'
import { countLines, keysOf, stacked, totalCharts } from '../../src/overview/chart-data.js'
import { alignedData, plotOptions } from '../../src/overview/plot.js'

const none = [0, 0, 0, 0, 0]
const series = (more: Partial<Series>): Series => ({
  ...{ calls: none, errors: none, refused: none, limited: none },
  ...{ p50: [null, null, null, null, null], p95: [null, null, null, null, null] },
  ...more,
})
const stats = (more: Partial<Stats>): Stats => ({
  stepMs: 10_000,
  from: 40_000,
  since: 0,
  series: [],
  total: series({}),
  limits: [],
  ...more,
})

describe('the lines of a chart', () => {
  it('combine steps at fixed times, independent of the current time', () => {
    const calls = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    const { times, lines } = totalCharts(stats({ total: series({ calls, errors: none, refused: none }) }), 30_000).calls
    // The steps begin at 40, 50, … 130 seconds. Combined steps begin at 60 and 90; the one that begins at 120 is incomplete.
    expect(times).toEqual([60, 90])
    expect(lines[0]?.values).toEqual([4 + 8 + 16, 32 + 64 + 128])
  })

  it('end with the last complete step, because an incomplete one would look like a drop', () => {
    const { times, lines } = totalCharts(stats({ total: series({ calls: [5, 5, 5, 5, 1] }) }), 10_000).calls
    expect(times).toEqual([40, 50, 60, 70])
    expect(lines[0]?.values).toEqual([5, 5, 5, 5])
  })

  it('are empty if no step is complete yet', () => {
    expect(totalCharts(stats({ total: series({ calls: [5, 5, 5, 5, 1] }) }), 600_000).calls.times).toEqual([])
  })

  it('distinguish successful calls from errors and refusals', () => {
    const total = series({ calls: [5, 1, 0, 0], errors: [2, 0, 0, 0], refused: [1, 1, 0, 0] })
    expect(totalCharts(stats({ total }), 10_000).calls.lines.map(({ key, values }) => [key, values.slice(0, 2)])).toEqual([
      ['done', [2, 0]],
      ['errors', [2, 0]],
      ['refused', [1, 1]],
    ])
  })

  it('distinguish refusals by a limit from other refusals', () => {
    const total = series({ refused: [5, 0, 0, 0], limited: [3, 0, 0, 0] })
    expect(totalCharts(stats({ total }), 10_000).refusals.lines.map(({ values }) => values[0])).toEqual([3, 2])
  })

  it('show the busiest keys, and the sum of all others', () => {
    const keys = Array.from({ length: 8 }, (_, at) => ({
      key: `k${at}`,
      ...series({ calls: [at, 0, 0, 0], errors: [1, 0, 0, 0] }),
    }))
    const some = stats({ series: [{ key: 'others', ...series({ calls: [100, 0, 0, 0], errors: [7, 0, 0, 0] }) }, ...keys] })
    expect(keysOf(some)).toEqual(['k7', 'k6', 'k5', 'k4', 'k3', 'k2'])
    const { lines } = countLines(some, 'errors', 10_000)
    expect(lines.map(({ key, values }) => [key, values[0]]).slice(-2)).toEqual([
      ['k2', 1],
      ['others', 9],
    ])
  })

  it('have no sum of others if there are none', () => {
    const some = stats({ series: [{ key: 'a', ...series({ calls: [1, 0, 0, 0] }) }] })
    expect(countLines(some, 'calls', 10_000).lines.map(({ key }) => key)).toEqual(['a'])
  })

  it('show the highest latency of the combined steps, and a gap for steps without calls', () => {
    const total = series({ calls: none, p95: [10, null, null, null], p50: [1, 2, null, 3] })
    const [half, most] = totalCharts(stats({ total }), 20_000).latency.lines
    expect([half?.values, most?.values]).toEqual([
      [2, 3],
      [10, null],
    ])
  })

  it('are added up when they are stacked', () => {
    const line = (key: string, ...values: number[]) => ({ key, colour: 1, values })
    expect(stacked([line('a', 1, 2), line('b', 3, 0)]).map(({ values }) => values)).toEqual([
      [1, 2],
      [4, 2],
    ])
  })
})

describe('a chart of latencies', () => {
  const data = { times: [1, 2, 3], lines: [{ key: 'p95', colour: 1, values: [0.4, null, 101_000] }] }
  const plotting = {
    data,
    look: 'lines' as const,
    colours: { lines: [], ink: '', grid: '' },
    words: String,
    onHover: () => undefined,
  }

  it('has a scale from milliseconds to the minutes of a pending approval', () => {
    const { scales, axes } = plotOptions(plotting, { width: 100, height: 100 })
    const splits = axes?.[1]?.splits
    expect(typeof splits === 'function' && splits({} as never, 1, 10, 100_000, 0, 0)).toEqual([10, 100, 1_000, 10_000, 100_000])
    const { distr, range } = scales?.y ?? {}
    if (typeof range !== 'function') throw new Error('The range depends on the values')
    expect([distr, range({} as never, 3, 101_000, 'y'), range({} as never, 10, 10, 'y')]).toEqual([3, [1, 1_000_000], [10, 100]])
  })

  it('draws less than a millisecond as one, and leaves gaps', () => {
    expect(alignedData(data, 'lines')[1]).toEqual([1, null, 101_000])
  })
})

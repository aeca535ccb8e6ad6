// Chart data from the gateway's counters.
import type { Series, Stats } from '../api/types.js'

export type ChartLine = {
  readonly key: string
  /** The number of the colour; a key has the same one in all charts. */
  readonly colour: number
  readonly values: readonly (number | null)[]
}
export type ChartData = { readonly times: readonly number[]; readonly lines: readonly ChartLine[] }

type Counted = 'calls' | 'errors' | 'refused'

const mostLines = 6
const otherColour = 0
const errorColour = 7
const refusalColour = 8
/** The gateway's key for everything that it does not count separately. */
const others = 'others'

/** Stacks the lines: each begins at the top of the one before. */
export function stacked(lines: readonly ChartLine[]): ChartLine[] {
  const tops: ChartLine[] = []
  for (const line of lines) {
    const below = tops.at(-1)?.values
    tops.push({ ...line, values: line.values.map((value, at) => (value ?? 0) + (below?.[at] ?? 0)) })
  }
  return tops
}

/** The keys that get a line of their own, busiest first. */
export function keysOf({ series }: Stats): string[] {
  const busy = series.filter(({ key, calls }) => key !== others && sum(calls) > 0)
  return busy
    .sort((one, other) => sum(other.calls) - sum(one.calls))
    .slice(0, mostLines)
    .map(({ key }) => key)
}

/** Counts of each key in steps of at least `stepMs`, with all other keys in one line. */
export function countLines(stats: Stats, name: Counted, stepMs: number): ChartData {
  const steps = stepsOf(stats, stepMs)
  const countOf = (series: Series) => steps.sums(series[name])
  const keys = keysOf(stats)
  const lines = keys.map((key, at): ChartLine => ({ key, colour: at + 1, values: countOf(seriesOf(stats, key)) }))
  const rest = stats.series.filter(({ key }) => !keys.includes(key)).map(countOf)
  const left: ChartLine = { key: others, colour: otherColour, values: added(rest) }
  return { times: steps.times, lines: left.values.some((value) => value !== 0) ? [...lines, left] : lines }
}

/** All calls together: by outcome, refusals by rate limit apart, and the latency as median and p95. */
export function totalCharts(stats: Stats, stepMs: number) {
  const { times, sums, tops } = stepsOf(stats, stepMs)
  const { calls, errors, refused, limited, p50, p95 } = stats.total
  const failed: ChartLine = { key: 'errors', colour: errorColour, values: sums(errors) }
  const [denied, tooMany] = [sums(refused), sums(limited)]
  const chart = (...lines: ChartLine[]): ChartData => ({ times, lines })
  return {
    calls: chart({ key: 'done', colour: 1, values: less(sums(calls), sums(errors), denied) }, failed, {
      key: 'refused',
      colour: refusalColour,
      values: denied,
    }),
    errors: chart(failed),
    refusals: chart(
      { key: 'by a limit', colour: 5, values: tooMany },
      { key: 'by a rule or otherwise', colour: refusalColour, values: less(denied, tooMany) },
    ),
    latency: chart({ key: 'median (p50)', colour: 1, values: tops(p50) }, { key: 'p95', colour: 2, values: tops(p95) }),
  }
}

export const keyCharts = (stats: Stats, stepMs: number) => ({
  calls: countLines(stats, 'calls', stepMs),
  errors: countLines(stats, 'errors', stepMs),
  refusals: countLines(stats, 'refused', stepMs),
  latency: latencyByKey(stats, stepMs),
})

export function latencyByKey(stats: Stats, stepMs: number): ChartData {
  const steps = stepsOf(stats, stepMs)
  const lines = keysOf(stats).map((key, at): ChartLine => ({ key, colour: at + 1, values: steps.tops(seriesOf(stats, key).p95) }))
  return { times: steps.times, lines }
}

/**
 * Combines the gateway's steps into longer ones at fixed times. Only complete steps are shown, because an incomplete one would look like a
 * drop in calls.
 */
function stepsOf({ from, stepMs, total }: Stats, wantedMs: number) {
  const size = Math.max(stepMs, wantedMs)
  const place = (at: number) => Math.floor((from + at * stepMs) / size)
  const first = Math.ceil(from / size)
  // The gateway's last step is still being counted.
  const end = place(Math.max(0, total.calls.length - 1))
  const times = Array.from({ length: Math.max(0, end - first) }, (_, at) => ((first + at) * size) / 1_000)
  const gather = <T>(values: readonly T[]): T[][] => {
    const groups: T[][] = times.map(() => [])
    for (const [at, value] of values.entries()) groups[place(at) - first]?.push(value)
    return groups
  }
  return {
    /** Seconds since 1970. */
    times,
    sums: (values: readonly number[]): number[] => gather(values).map(sum),
    tops: (values: readonly (number | null)[]): (number | null)[] => gather(values).map(top),
  }
}

export const sum = (values: readonly (number | null)[]): number => values.reduce<number>((all, value) => all + (value ?? 0), 0)

export function top(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : Math.max(...known)
}

const added = (all: readonly (readonly number[])[]): number[] =>
  (all[0] ?? []).map((_, at) => sum(all.map((one) => one[at] ?? 0)))

const less = (all: readonly number[], ...parts: readonly (readonly number[])[]): number[] =>
  all.map((count, at) => Math.max(0, count - sum(parts.map((part) => part[at] ?? 0))))

const none: Series = { calls: [], errors: [], refused: [], limited: [], p50: [], p95: [] }
const seriesOf = ({ series }: Stats, key: string): Series => series.find((one) => one.key === key) ?? none

/** The ranges of the charts, with the length of a step. */
export const timeRanges = [
  { id: '15m', label: '15 minutes', minutes: 15, stepMs: 10_000 },
  { id: '1h', label: '1 hour', minutes: 60, stepMs: 30_000 },
  { id: '6h', label: '6 hours', minutes: 360, stepMs: 120_000 },
  { id: '24h', label: '24 hours', minutes: 1_440, stepMs: 300_000 },
] as const

export type TimeRange = (typeof timeRanges)[number]

export const timeRangeNamed = (id: string | null): TimeRange => timeRanges.find((range) => range.id === id) ?? timeRanges[1]

/** `10 s`, `2 min`. */
export const stepWords = ({ stepMs }: TimeRange): string => (stepMs < 60_000 ? `${stepMs / 1_000} s` : `${stepMs / 60_000} min`)

import uPlot from 'uplot'
import { type ChartData, type ChartLine, stacked } from './chart-data.js'

/** The colours of the current theme. */
export type Colours = { readonly lines: readonly string[]; readonly ink: string; readonly grid: string }

/** Counts are stacked bars; latencies are lines. */
export type PlotStyle = 'bars' | 'lines'

export type PlotInput = {
  readonly data: ChartData
  readonly look: PlotStyle
  readonly colours: Colours
  readonly words: (value: number) => string
  readonly onHover: (at: number | undefined) => void
}

/** Draws the tallest bars first, so that each covers the lower part of those before. */
export const drawnSeries = (data: ChartData, look: PlotStyle): readonly ChartLine[] =>
  look === 'bars' ? stacked(data.lines).reverse() : data.lines.map((line) => ({ ...line, values: line.values.map(drawnLatency) }))

const drawnLatency = (ms: number | null): number | null => (ms === null ? null : Math.max(shortest, ms))

export const alignedData = (data: ChartData, look: PlotStyle): uPlot.AlignedData =>
  [data.times, ...drawnSeries(data, look).map(({ values }) => values)] as uPlot.AlignedData // uPlot does not change them

/** Options for uPlot; all charts share one cursor. */
export function plotOptions(plotting: PlotInput, size: { width: number; height: number }): uPlot.Options {
  const { data, look, colours, words, onHover } = plotting
  const lines = drawnSeries(data, look)
  return {
    ...size,
    padding: [10, 26, 0, 0],
    legend: { show: false },
    cursor: { sync: { key: 'overview' }, y: false, points: { show: look === 'lines', size: 6 }, drag: { x: false, y: false } },
    // Half a step on both sides, so that the first and the last bar are whole.
    scales: {
      x: { range: (_, first, last) => [first - halfOf(data), last + halfOf(data)] },
      y:
        look === 'bars'
          ? { range: (_, __, most) => [0, Math.max(4, (most ?? 0) * 1.08)] }
          : { distr: 3, range: (_, least, most) => [powerBelow(least ?? shortest), 10 * powerBelow(most ?? shortest)] },
    },
    axes: axesOf(plotting, colours),
    series: [{}, ...lines.map((line) => (look === 'bars' ? barLook(line, colours) : lineLook(line, colours)))],
    hooks: { setCursor: [(plot) => onHover(plot.cursor.idx ?? undefined)] },
  }

  function axesOf({ look }: PlotInput, { ink, grid }: Colours): uPlot.Axis[] {
    const axis = { stroke: ink, font: '11px system-ui, sans-serif', ticks: { show: false } }
    const lines =
      look === 'bars'
        ? { incrs: [1, 2, 5].flatMap(tens).sort((one, other) => one - other) }
        : { splits: powersOfTen, filter: (_: uPlot, splits: number[]) => splits }
    return [
      { ...axis, grid: { show: false }, size: 28, values: (_, splits) => splits.map(clockWords), space: 64 },
      { ...axis, ...lines, grid: { stroke: grid, width: 1 }, size: 54, values: (_, splits) => splits.map(words), space: 34 },
    ]
  }
}

/** The least latency that is drawn, in milliseconds; shorter ones are drawn as this one. */
const shortest = 1

/** Latencies have a logarithmic scale, because a call that waits for a person takes a thousand times as long as others. */
const powerBelow = (ms: number): number => 10 ** Math.floor(Math.log10(ms))

const powersOfTen = (_: uPlot, __: number, least: number, most: number): number[] =>
  Array.from({ length: Math.round(Math.log10(most / least)) + 1 }, (_, at) => least * 10 ** at)

const halfOf = ({ times: [first = 0, second = first] }: ChartData): number => (second - first) / 2

const tens = (first: number): number[] => Array.from({ length: 9 }, (_, at) => first * 10 ** at)

const bars = uPlot.paths.bars?.({ size: [0.75, 24], gap: 0 })

const barLook = ({ key, colour }: ChartLine, { lines }: Colours): uPlot.Series => ({
  label: key,
  fill: lines[colour] ?? 'gray',
  width: 0,
  points: { show: false },
  ...(bars && { paths: bars }),
})

const lineLook = ({ key, colour, values }: ChartLine, { lines }: Colours): uPlot.Series => ({
  label: key,
  stroke: lines[colour] ?? 'gray',
  width: 1.6,
  points: { show: true, size: 4, fill: lines[colour] ?? 'gray', filter: (plot, at) => isolatedPoints(plot.data[at] ?? values) },
})

/** Points without neighbours, which would be lines without a length. */
const isolatedPoints = (values: ArrayLike<number | null | undefined>): number[] =>
  Array.from(values, (value, at) => (value == null || values[at - 1] != null || values[at + 1] != null ? -1 : at)).filter(
    (at) => at >= 0,
  )

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const clockWords = (seconds: number): string => clock.format(seconds * 1_000)

// Counts of calls, as Prometheus reads them. https://prometheus.io/docs/instrumenting/exposition_formats/
import type { CountedCall } from './stats/stats.js'

/** A value that is read when metrics are requested. */
export type Gauge = {
  readonly name: string
  readonly help: string
  readonly values: readonly (readonly [labels: Labels, value: number])[]
}

type Labels = { readonly [name: string]: string }
type Histogram = { readonly buckets: number[]; sum: number; count: number }
/** The counts of one tool. Its labels are formatted once, not for each call. */
type Series = { readonly labels: string; readonly outcomes: Map<string, number>; readonly durations: Histogram }

const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
/** Names come from strangers; beyond this bound, new names share one series. */
const mostSeries = 20_000

export class Metrics {
  readonly #series = new Map<string, Map<string, Series>>()
  readonly #refusals = new Map<string, number>()
  #size = 0

  ended({ tool, server, outcome, reason, ms }: Omit<CountedCall, 'caller'>): void {
    const seconds = ms / 1_000
    const { outcomes, durations } = this.#seriesOf(server, tool)
    count(outcomes, outcome)
    if (reason !== undefined) count(this.#refusals, reason)
    durations.sum += seconds
    durations.count++
    for (let at = bounds.length - 1; at >= 0 && seconds <= bounds[at]!; at--) durations.buckets[at]!++ // one for each bound
  }

  #seriesOf(server: string, tool: string): Series {
    const known = this.#series.get(server)?.get(tool)
    if (known) return known
    const isOther = server === 'other' && tool === 'other'
    if (this.#size >= mostSeries && !isOther) return this.#seriesOf('other', 'other')
    this.#size++
    const durations = { buckets: bounds.map(() => 0), sum: 0, count: 0 }
    const made = { labels: formatLabels({ tool, server }), outcomes: new Map<string, number>(), durations }
    this.#series.set(server, (this.#series.get(server) ?? new Map<string, Series>()).set(tool, made))
    return made
  }

  text(gauges: readonly Gauge[]): string {
    const all = [...this.#series.values()].flatMap((tools) => [...tools.values()])
    const lines = [
      ...head('toolwire_calls_total', 'Calls, by outcome', 'counter'),
      ...all.flatMap(callsOf),
      ...head('toolwire_refusals_total', 'Calls that were refused, by reason', 'counter'),
      ...[...this.#refusals].map(([reason, value]) => `toolwire_refusals_total{${formatLabels({ reason })}} ${value}`),
      ...head('toolwire_call_duration_seconds', 'Duration of calls, including the time they waited', 'histogram'),
      ...all.flatMap(durationsOf),
      ...gauges.flatMap(({ name, help, values }) => [
        ...head(name, help, 'gauge'),
        ...values.map(([labels, value]) => `${name}${braced(formatLabels(labels))} ${value}`),
      ]),
    ]
    return `${lines.join('\n')}\n`
  }
}

const head = (name: string, help: string, type: string): string[] => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]

const callsOf = ({ labels, outcomes }: Series): string[] =>
  [...outcomes].map(([outcome, value]) => `toolwire_calls_total{${labels},${formatLabels({ outcome })}} ${value}`)

function durationsOf({ labels, durations: { buckets, sum, count: total } }: Series): string[] {
  const name = 'toolwire_call_duration_seconds'
  return [
    ...bounds.map((bound, at) => `${name}_bucket{${labels},le="${bound}"} ${buckets[at] ?? 0}`),
    `${name}_bucket{${labels},le="+Inf"} ${total}`,
    `${name}_sum{${labels}} ${sum}`,
    `${name}_count{${labels}} ${total}`,
  ]
}

const count = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1)

const formatLabels = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(',')

const braced = (labels: string): string => (labels === '' ? '' : `{${labels}}`)
const escapeLabel = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

// Counts of calls, as Prometheus reads them. https://prometheus.io/docs/instrumenting/exposition_formats/

/** How a call ended. */
export type Ended = {
  readonly tool: string
  readonly server: string
  readonly outcome: string
  /** Why a policy has refused it. */
  readonly reason?: string | undefined
  readonly seconds: number
}

/** A value that is looked up when somebody asks. */
export type Gauge = {
  readonly name: string
  readonly help: string
  readonly values: readonly (readonly [labels: Labels, value: number])[]
}

type Labels = { readonly [name: string]: string }
type Histogram = { readonly buckets: number[]; sum: number; count: number }

const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
/** Names are a stranger's: whoever makes up new ones all the time is counted under one. */
const mostSeries = 20_000

export class Metrics {
  readonly #calls = new Map<string, number>()
  readonly #refusals = new Map<string, number>()
  readonly #durations = new Map<string, Histogram>()

  ended({ tool, server, outcome, reason, seconds }: Ended): void {
    const known = this.#calls.size < mostSeries
    const about = known ? { tool, server } : { tool: 'other', server: 'other' }
    count(this.#calls, written({ ...about, outcome }))
    if (reason !== undefined) count(this.#refusals, written({ reason }))
    const key = written(about)
    const histogram = this.#durations.get(key) ?? { buckets: bounds.map(() => 0), sum: 0, count: 0 }
    this.#durations.set(key, histogram)
    histogram.sum += seconds
    histogram.count++
    for (const [at, bound] of bounds.entries()) if (seconds <= bound) histogram.buckets[at] = (histogram.buckets[at] ?? 0) + 1
  }

  text(gauges: readonly Gauge[]): string {
    const lines = [
      ...head('toolwire_calls_total', 'Calls, by how they ended', 'counter'),
      ...[...this.#calls].map(([labels, value]) => `toolwire_calls_total{${labels}} ${value}`),
      ...head('toolwire_refusals_total', 'Calls that were refused, by reason', 'counter'),
      ...[...this.#refusals].map(([labels, value]) => `toolwire_refusals_total{${labels}} ${value}`),
      ...head('toolwire_call_duration_seconds', 'How long calls took, with what they waited for', 'histogram'),
      ...[...this.#durations].flatMap(([labels, histogram]) => durations(labels, histogram)),
      ...gauges.flatMap(({ name, help, values }) => [
        ...head(name, help, 'gauge'),
        ...values.map(([labels, value]) => `${name}${braced(written(labels))} ${value}`),
      ]),
    ]
    return `${lines.join('\n')}\n`
  }
}

const head = (name: string, help: string, type: string): string[] => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]

function durations(labels: string, { buckets, sum, count: total }: Histogram): string[] {
  const name = 'toolwire_call_duration_seconds'
  return [
    ...bounds.map((bound, at) => `${name}_bucket{${labels},le="${bound}"} ${buckets[at] ?? 0}`),
    `${name}_bucket{${labels},le="+Inf"} ${total}`,
    `${name}_sum{${labels}} ${sum}`,
    `${name}_count{${labels}} ${total}`,
  ]
}

const count = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1)

const written = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')

const braced = (labels: string): string => (labels === '' ? '' : `{${labels}}`)
const escaped = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

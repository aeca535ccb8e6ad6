import { useMemo, useState } from 'preact/hooks'
import type { Stats } from '../api/types.js'
import { formatDuration } from '../parts/time/format-time.js'
import { ChartCard } from './ChartCard.js'
import { keyCharts, stepWords, sum, type TimeRange, totalCharts } from './chart-data.js'

type Props = { readonly stats: Stats; readonly range: TimeRange; readonly isWhole: boolean }

export function Charts({ stats, range, isWhole }: Props) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const { stepMs } = range
  const data = useMemo(() => (isWhole ? totalCharts : keyCharts)(stats, stepMs), [stats, stepMs, isWhole])
  // There are calls, but only in the current step, which is not complete yet.
  const nothing =
    sum(stats.total.calls) > 0 ? `Calls of the current ${stepWords(range)} appear when it ends` : 'No calls in this time'
  const unit = `in each ${stepWords(range)}`
  const onToggle = (key: string) =>
    setHidden(hidden.has(key) ? new Set([...hidden].filter((one) => one !== key)) : new Set([...hidden, key]))
  const usual = { look: 'bars' as const, words: countWords, unit, hidden, onToggle }
  return (
    <div class="charts stack far">
      <ChartCard {...usual} title="Calls" data={data.calls} nothing={nothing} />
      <ChartCard
        {...usual}
        title="Latency"
        unit={isWhole ? 'with waits for approval' : '95th percentile, with waits for approval'}
        look="lines"
        words={formatDuration}
        data={data.latency}
        nothing={nothing}
      />
      <ChartCard {...usual} title="Errors" data={data.errors} isGood nothing="No errors in this time" />
      <ChartCard {...usual} title="Refusals" data={data.refusals} isGood nothing="No refusals in this time" />
    </div>
  )
}

const countWords = (count: number): string => count.toLocaleString()

import { useState } from 'preact/hooks'
import { Button } from '../parts/Button.js'
import { Empty } from '../parts/Empty.js'
import { formatTime } from '../parts/time/format-time.js'
import { Chart } from './Chart.js'
import { ChartTable } from './ChartTable.js'
import type { ChartData } from './chart-data.js'
import { Legend } from './Legend.js'
import type { PlotStyle } from './plot.js'

type Props = {
  readonly title: string
  /** What a point means, as in "in each 30 s". */
  readonly unit: string
  readonly data: ChartData
  readonly look: PlotStyle
  readonly words: (value: number) => string
  readonly hidden: ReadonlySet<string>
  readonly onToggle: (key: string) => void
  /** Said where there is nothing to draw. */
  readonly nothing: string
  /** It is good when there is nothing. */
  readonly isGood?: boolean
}

/** A chart with its title, its legend, and the same as a table. */
export function ChartCard({ title, unit, data, look, words, hidden, onToggle, nothing, isGood }: Props) {
  const [isTable, setTable] = useState(false)
  const [at, setAt] = useState<number>()
  const shown = { ...data, lines: data.lines.filter(({ key }) => !hidden.has(key)) }
  const isEmpty = !data.lines.some(({ values }) => values.some((value) => value !== null && value > 0))
  const label = `${title} ${unit}`
  return (
    <section class="card chart-card" aria-label={title}>
      <header>
        <h2>
          {title} <small>{at === undefined ? unit : momentAt(data, at)}</small>
        </h2>
        {!isEmpty && (
          <Button small variant="quiet" onClick={() => setTable(!isTable)}>
            {isTable ? 'Show as chart' : 'Show as table'}
          </Button>
        )}
      </header>
      {isEmpty ? (
        <Empty icon={isGood ? 'check' : 'overview'} title={nothing} />
      ) : isTable ? (
        <ChartTable data={data} label={label} words={words} />
      ) : (
        <>
          <Chart data={shown} look={look} words={words} onHover={setAt} label={`${label}. The same is there as a table.`} />
          <Legend lines={data.lines} at={at} words={words} hidden={hidden} onToggle={onToggle} />
        </>
      )}
    </section>
  )
}

/** The moment that is pointed at. */
const momentAt = ({ times }: ChartData, at: number): string => `at ${formatTime((times[at] ?? 0) * 1_000)}`

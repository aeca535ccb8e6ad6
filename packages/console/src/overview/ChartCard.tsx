import { useState } from 'preact/hooks'
import { gatewayNow } from '../api/gateway-clock.js'
import { Button } from '../parts/Button.js'
import { Empty } from '../parts/LoadState.js'
import { Table, type TableColumn } from '../parts/table/Table.js'
import { Text } from '../parts/text/Text.js'
import { formatTime } from '../parts/time/format-time.js'
import { Chart } from './Chart.js'
import { type ChartData, type ChartLine, sum, top } from './chart-data.js'
import type { PlotStyle } from './plot.js'

type Props = {
  readonly title: string
  /** The span of one point, as in "in each 30 s". */
  readonly unit: string
  readonly data: ChartData
  readonly look: PlotStyle
  readonly words: (value: number) => string
  readonly hidden: ReadonlySet<string>
  readonly onToggle: (key: string) => void
  /** Shown if there is nothing to draw. */
  readonly nothing: string
  /** Having nothing to draw is good, as with errors. */
  readonly isGood?: boolean
}

/** A chart with its title and legend, and the same values as a table. */
export function ChartCard({ title, unit, data, look, words, hidden, onToggle, nothing, isGood }: Props) {
  const [isTable, setTable] = useState(false)
  const [at, setAt] = useState<number>()
  const { times, lines } = data
  const shown = { times, lines: lines.filter(({ key }) => !hidden.has(key)) }
  const isEmpty = !lines.some(({ values }) => values.some((value) => value !== null && value > 0))
  const label = `${title} ${unit}`
  return (
    <section class="card chart-card" aria-label={title}>
      <header>
        <h2>
          {title} <small>{at === undefined ? unit : `at ${timeText(times[at])}`}</small>
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
          <Chart data={shown} look={look} words={words} onHover={setAt} label={`${label}. Also available as a table.`} />
          <Legend lines={lines} at={at} overall={look === 'bars' ? sum : top} words={words} hidden={hidden} onToggle={onToggle} />
        </>
      )}
    </section>
  )
}

/** The time of a point, in seconds at the gateway. */
const timeText = (seconds = 0): string => formatTime(seconds * 1_000, gatewayNow())

const wordsFor = (value: number | null | undefined, words: Props['words']): string =>
  value === null || value === undefined ? '–' : words(value)

/** The values of a chart as a table, latest first. */
function ChartTable({ data: { times, lines }, label, words }: Pick<Props, 'data' | 'words'> & { label: string }) {
  const columns: TableColumn<number>[] = [
    { head: 'Time', isName: true, cell: (at) => timeText(times[at]) },
    ...lines.map(({ key, values }) => ({
      head: <Text of={key} />,
      class: 'numbers',
      cell: (at: number) => wordsFor(values[at], words),
    })),
  ]
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: so that its scrolled-off part can be read by keyboard
    <section class="chart-table" aria-label={label} tabIndex={0}>
      <Table caption={label} columns={columns} rows={[...times.keys()].reverse()} />
    </section>
  )
}

type LegendProps = Pick<Props, 'words' | 'hidden' | 'onToggle'> &
  Pick<ChartData, 'lines'> & {
    /** The hovered point; without one the legend shows the sum, or the highest of values that have no sum. */
    readonly at: number | undefined
    readonly overall: (values: ChartLine['values']) => number | null
  }

/** The lines of a chart with their values; a press hides a line in all charts. */
const Legend = ({ lines, at, overall, words, hidden, onToggle }: LegendProps) => (
  <ul class="legend">
    {lines.map(({ key, colour, values }) => (
      <li key={key}>
        <button type="button" aria-pressed={!hidden.has(key)} onClick={() => onToggle(key)}>
          <span class="legend-colour" style={{ '--colour': `var(--chart-${colour})` }} aria-hidden="true" />
          <Text of={key} line />
          <span class="legend-value numbers">{wordsFor(at === undefined ? overall(values) : values[at], words)}</span>
        </button>
      </li>
    ))}
  </ul>
)

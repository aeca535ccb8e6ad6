import type { StatsBy } from '../api/types.js'
import { type TimeRange, timeRanges } from './time-range.js'

/** Whose lines the charts show; `all` is one line for everything. */
export type ChartGrouping = 'all' | StatsBy
const ways = [
  ['all', 'All calls'],
  ['tool', 'By tool'],
  ['caller', 'By caller'],
  ['server', 'By server'],
] as const satisfies readonly (readonly [ChartGrouping, string])[]

export const chartGroupingNamed = (name: string | null): ChartGrouping => ways.find(([id]) => id === name)?.[0] ?? 'all'

type Props = {
  readonly by: ChartGrouping
  readonly range: TimeRange
  readonly onChange: (choice: { by: ChartGrouping; range: string }) => void
}

/** What the charts show, and how far back they look. */
export const ChartChoices = ({ by, range, onChange }: Props) => (
  <>
    <select
      aria-label="Lines"
      value={by}
      onChange={({ currentTarget }) => onChange({ by: chartGroupingNamed(currentTarget.value), range: range.id })}
    >
      {ways.map(([id, label]) => (
        <option key={id} value={id}>
          {label}
        </option>
      ))}
    </select>
    <select aria-label="Time" value={range.id} onChange={({ currentTarget }) => onChange({ by, range: currentTarget.value })}>
      {timeRanges.map(({ id, label }) => (
        <option key={id} value={id}>
          Last {label}
        </option>
      ))}
    </select>
  </>
)

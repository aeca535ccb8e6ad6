import type { StatsBy } from '../api/types.js'
import { type Range, ranges } from './range.js'

/** Whose lines the charts show; `all` is one line for everything. */
export type By = 'all' | StatsBy
const ways = [
  ['all', 'All calls'],
  ['tool', 'By tool'],
  ['caller', 'By caller'],
  ['server', 'By server'],
] as const satisfies readonly (readonly [By, string])[]

export const byNamed = (name: string | null): By => ways.find(([id]) => id === name)?.[0] ?? 'all'

type Props = { readonly by: By; readonly range: Range; readonly onChange: (choice: { by: By; range: string }) => void }

/** What the charts show, and how far back they look. */
export const Choices = ({ by, range, onChange }: Props) => (
  <>
    <select
      aria-label="Lines"
      value={by}
      onChange={({ currentTarget }) => onChange({ by: byNamed(currentTarget.value), range: range.id })}
    >
      {ways.map(([id, label]) => (
        <option key={id} value={id}>
          {label}
        </option>
      ))}
    </select>
    <select aria-label="Time" value={range.id} onChange={({ currentTarget }) => onChange({ by, range: currentTarget.value })}>
      {ranges.map(({ id, label }) => (
        <option key={id} value={id}>
          Last {label}
        </option>
      ))}
    </select>
  </>
)

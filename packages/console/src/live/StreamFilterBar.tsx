import { Button } from '../parts/Button.js'
import type { StreamFilter } from './stream-filter.js'

const outcomes = [
  ['all', 'All outcomes'],
  ['ok', 'Done'],
  ['error', 'Errors'],
  ['refused', 'Refused'],
  ['other', 'Other'],
] as const satisfies readonly (readonly [StreamFilter['outcome'], string])[]

type Props = {
  readonly filter: StreamFilter
  readonly onFilter: (filter: StreamFilter) => void
  readonly isHeld: boolean
  /** How many have ended since the stream was held. */
  readonly news: number
  readonly onHold: (hold: boolean) => void
}

/** Narrows the stream, and holds it. */
export const StreamFilterBar = ({ filter, onFilter, isHeld, news, onHold }: Props) => (
  <div class="stream-tools">
    <input
      type="search"
      aria-label="Tool, caller or server"
      placeholder="Tool, caller or server"
      value={filter.text}
      onInput={({ currentTarget }) => onFilter({ ...filter, text: currentTarget.value })}
    />
    <select
      aria-label="Outcome"
      value={filter.outcome}
      onChange={({ currentTarget }) => onFilter({ ...filter, outcome: outcomeNamed(currentTarget.value) })}
    >
      {outcomes.map(([outcome, label]) => (
        <option key={outcome} value={outcome}>
          {label}
        </option>
      ))}
    </select>
    <Button icon={isHeld ? 'play' : 'pause'} onClick={() => onHold(!isHeld)}>
      {isHeld ? `Go on${news > 0 ? ` (${news.toLocaleString()} new)` : ''}` : 'Pause'}
    </Button>
  </div>
)

const outcomeNamed = (name: string): StreamFilter['outcome'] => outcomes.find(([outcome]) => outcome === name)?.[0] ?? 'all'

import { Text } from '../parts/text/Text.js'
import type { ChartLine } from './chart-data.js'

type Props = {
  readonly lines: readonly ChartLine[]
  /** The point that is pointed at; else the last is meant. */
  readonly at: number | undefined
  readonly words: (value: number) => string
  readonly hidden: ReadonlySet<string>
  readonly onToggle: (key: string) => void
}

/** The lines of a chart with their values; pressing one hides it in all charts. */
export const Legend = ({ lines, at, words, hidden, onToggle }: Props) => (
  <ul class="legend">
    {lines.map(({ key, colour, values }) => (
      <li key={key}>
        <button type="button" aria-pressed={!hidden.has(key)} onClick={() => onToggle(key)}>
          <span class={`legend-colour colour-${colour}`} aria-hidden="true" />
          <Text of={key} line />
          <span class="legend-value numbers">{valueWords(values[at ?? values.length - 1], words)}</span>
        </button>
      </li>
    ))}
  </ul>
)

const valueWords = (value: number | null | undefined, words: Props['words']): string =>
  value === null || value === undefined ? '–' : words(value)

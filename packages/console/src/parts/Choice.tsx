import type { AriaAttributes } from 'preact'

export type ChoiceProps<T> = AriaAttributes & {
  readonly id?: string
  /** The values, each with its words. */
  readonly choices: readonly (readonly [value: T, words: string])[]
  readonly value: T
  readonly onChange: (value: T) => void
}

/** One of several values. */
export const Choice = <T extends string | number>({ choices, onChange, ...select }: ChoiceProps<T>) => (
  <select
    {...select}
    onChange={({ currentTarget }) => {
      const chosen = choices[currentTarget.selectedIndex]
      if (chosen) onChange(chosen[0])
    }}
  >
    {choices.map(([value, words]) => (
      <option key={value} value={value}>
        {words}
      </option>
    ))}
  </select>
)

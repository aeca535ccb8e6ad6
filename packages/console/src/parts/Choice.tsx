import type { AriaAttributes, ComponentChildren } from 'preact'

export type ChoiceProps<T> = AriaAttributes & {
  readonly id?: string
  /** The values, each with its label. */
  readonly choices: readonly (readonly [value: T, words: string])[]
  readonly value: T
  readonly onChange: (value: T) => void
}

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

type Props = {
  readonly checked: boolean
  readonly onCheck: (isChecked: boolean) => void
  readonly children: ComponentChildren
}

export const Checkbox = ({ checked, onCheck, children }: Props) => (
  <label class="check">
    <input type="checkbox" checked={checked} onChange={({ currentTarget }) => onCheck(currentTarget.checked)} />
    {children}
  </label>
)

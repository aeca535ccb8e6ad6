import type { ComponentChildren } from 'preact'

type Props = {
  readonly checked: boolean
  readonly onCheck: (isChecked: boolean) => void
  /** Its label. */
  readonly children: ComponentChildren
}

/** A box to tick, with its label. */
export const Checkbox = ({ checked, onCheck, children }: Props) => (
  <label class="check">
    <input type="checkbox" checked={checked} onChange={({ currentTarget }) => onCheck(currentTarget.checked)} />
    {children}
  </label>
)

import { Text } from '../../parts/text/Text.js'
import { type ConstraintChoice, withEqual } from './constraint.js'

type Props = {
  readonly names: readonly string[]
  readonly choice: ConstraintChoice
  readonly onChoice: (choice: ConstraintChoice) => void
}

const mostListed = 100

/** Which arguments of later calls must be what they are in this one. */
export const FixedArguments = ({ names, choice, onChoice }: Props) => (
  <fieldset>
    <legend>These arguments must stay the same</legend>
    {names.slice(0, mostListed).map((name) => (
      <label key={name} class="check">
        <input
          type="checkbox"
          checked={choice.equal.has(name)}
          onChange={({ currentTarget }) => onChoice(withEqual(choice, name, currentTarget.checked))}
        />
        <Text of={name} mono />
      </label>
    ))}
    {names.length > mostListed && (
      <p class="muted">and {(names.length - mostListed).toLocaleString()} more, which must stay the same too</p>
    )}
    <label class="check">
      <input
        type="checkbox"
        checked={choice.isClosed}
        onChange={({ currentTarget }) => onChoice({ ...choice, isClosed: currentTarget.checked })}
      />
      and no other arguments are allowed
    </label>
  </fieldset>
)

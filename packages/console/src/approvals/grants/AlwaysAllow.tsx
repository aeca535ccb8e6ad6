import type { Approval, StandingApproval } from '../../api/types.js'
import { Checkbox } from '../../parts/Choice.js'
import { SelectField } from '../../parts/Field.js'
import { Icon } from '../../parts/Icon.js'
import { JsonText } from '../../parts/text/Json.js'
import { Text } from '../../parts/text/Text.js'
import { type ConstraintChoice, type GrantRequest, grantDurations, isUnconstrained, withEqual } from './constraint.js'

type Props = {
  readonly approval: Approval
  readonly wish: GrantRequest
  /** The standing approval that results from the wish. */
  readonly always: StandingApproval
  readonly onWish: (wish: GrantRequest) => void
}

/** Options of a standing approval: the fixed arguments and the duration. The resulting schema is shown in full. */
export function AlwaysAllow({ approval, wish, always, onWish }: Props) {
  const { arguments: args, caller, danger, tool } = approval
  const warning = warningAbout(wish, danger)
  return (
    <div class="always-allow stack">
      <h3>Always allow</h3>
      <p class="muted little">
        Calls of <Text of={tool.name} mono /> by <Text of={caller} /> that match are made without asking, as long as the
        definition of the tool does not change. You can revoke this at any time.
      </p>
      <FixedArguments names={Object.keys(args)} choice={wish.choice} onChoice={(choice) => onWish({ ...wish, choice })} />
      <SelectField
        label="For"
        hint="8 hours at most"
        value={wish.forMs}
        choices={grantDurations}
        onChange={(forMs) => onWish({ ...wish, forMs })}
      />
      {warning && <DecisionNote>{warning}</DecisionNote>}
      <details open>
        <summary>Constraint for later calls</summary>
        <JsonText of={always.arguments ?? {}} />
      </details>
    </div>
  )
}

function warningAbout({ choice }: GrantRequest, danger: Approval['danger']): string | undefined {
  if (isUnconstrained(choice)) return 'Later calls may have any arguments.'
  return danger === 'destructive' ? 'The tool may delete or overwrite without asking.' : undefined
}

type FixedProps = {
  readonly names: readonly string[]
  readonly choice: ConstraintChoice
  readonly onChoice: (choice: ConstraintChoice) => void
}

const mostListed = 100

/** The arguments that must have the same values in later calls. */
const FixedArguments = ({ names, choice, onChoice }: FixedProps) => (
  <fieldset>
    <legend>These arguments must stay the same</legend>
    {names.slice(0, mostListed).map((name) => (
      <Checkbox key={name} checked={choice.equal.has(name)} onCheck={(is) => onChoice(withEqual(choice, name, is))}>
        <Text of={name} mono />
      </Checkbox>
    ))}
    {names.length > mostListed && (
      <p class="muted">and {(names.length - mostListed).toLocaleString()} more, which must stay the same too</p>
    )}
    <Checkbox checked={choice.isClosed} onCheck={(isClosed) => onChoice({ ...choice, isClosed })}>
      and no other arguments are allowed
    </Checkbox>
  </fieldset>
)

/** A warning to read before a decision. */
export const DecisionNote = ({ children }: { readonly children: string }) => (
  <p class="deciding-note notice tinted cluster warning">
    <Icon name="warning" />
    <span>{children}</span>
  </p>
)

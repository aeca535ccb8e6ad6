import type { Always, Approval } from '../api/types.js'
import { Field } from '../parts/Field.js'
import { Icon } from '../parts/Icon.js'
import { JsonText } from '../parts/Json.js'
import { Text } from '../parts/Text.js'
import { isAnything, type Wish, withEqual } from './constraint.js'
import { spans } from './expiry.js'

type Props = {
  readonly approval: Approval
  readonly wish: Wish
  /** What comes of the wish. */
  readonly always: Always
  readonly onWish: (wish: Wish) => void
}

const mostListed = 100

/** What "always" means: which arguments must stay as they are, and for how long. The schema that comes of it is shown whole. */
export function AlwaysAllow({ approval: { arguments: args, caller, danger, tool }, wish, always, onWish }: Props) {
  const { choice, forMs } = wish
  const names = Object.keys(args)
  return (
    <div class="always-allow">
      <h3>Always allow</h3>
      <p class="muted little">
        Calls of <Text of={tool.name} mono /> by <Text of={caller} /> that fit are made without asking, as long as the definition
        of the tool stays as it is. You can take it back at any time.
      </p>
      <fieldset>
        <legend>These arguments must stay as they are</legend>
        {names.slice(0, mostListed).map((name) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              checked={choice.equal.has(name)}
              onChange={({ currentTarget }) => onWish({ forMs, choice: withEqual(choice, name, currentTarget.checked) })}
            />
            <Text of={name} mono />
          </label>
        ))}
        {names.length > mostListed && (
          <p class="muted">and {(names.length - mostListed).toLocaleString()} more, which must stay, too</p>
        )}
        <label class="check">
          <input
            type="checkbox"
            checked={choice.isClosed}
            onChange={({ currentTarget: { checked } }) => onWish({ forMs, choice: { ...choice, isClosed: checked } })}
          />
          and there are no others
        </label>
      </fieldset>
      <Field label="For" hint="8 hours at most">
        {(control) => (
          <select
            {...control}
            value={forMs}
            onChange={({ currentTarget }) => onWish({ choice, forMs: Number(currentTarget.value) })}
          >
            {spans.map(({ ms, name }) => (
              <option key={ms} value={ms}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      {(isAnything(choice) || danger === 'destructive') && (
        <p class="deciding-note warning">
          <Icon name="warning" />
          <span>
            {isAnything(choice)
              ? 'Nothing is asked of later calls: any arguments will do.'
              : 'The tool may delete or overwrite, and nobody will be asked.'}
          </span>
        </p>
      )}
      <details open>
        <summary>What later calls are checked against</summary>
        <JsonText of={always.arguments ?? {}} />
      </details>
    </div>
  )
}

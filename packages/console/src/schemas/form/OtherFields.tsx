import { Button } from '../../parts/Button.js'
import { Json as Tree } from '../../parts/text/Json.js'
import type { FieldProps } from './field-place.js'
import { enterValue } from './form-state.js'

export function NullField({ place, value, control }: FieldProps) {
  if (value === null) return <p class="little muted">Nothing (null) is sent.</p>
  return (
    <Button {...control} small onClick={() => enterValue(place.form, place.path, null)}>
      Send nothing (null)
    </Button>
  )
}

/** A value that the form has no field for: the schema allows none here, or the raw JSON has another type. */
export function UnsupportedField({ place, value }: FieldProps) {
  if (value === undefined)
    return <p class="little muted">The form has no field for this value. Write the value in the raw JSON.</p>
  return (
    <div class="elsewhere stack close">
      <Tree of={value} open={1} />
      <p class="little muted">
        This value from the raw JSON does not fit the field.{' '}
        <Button small variant="quiet" onClick={() => enterValue(place.form, place.path, undefined)}>
          Remove
        </Button>
      </p>
    </div>
  )
}

const answers = [
  ['Yes', true],
  ['No', false],
  ['Not sent', undefined],
] as const

/** Yes or no; if the value is optional, also neither. */
export function BooleanField(props: FieldProps) {
  const { place, value, required } = props
  if (value !== undefined && typeof value !== 'boolean') return <UnsupportedField {...props} />
  return (
    <div class="answers cluster">
      {answers.slice(0, required ? 2 : 3).map(([words, answer]) => (
        <label class="check" key={words}>
          <input
            type="radio"
            name={place.id}
            checked={value === answer}
            onChange={() => enterValue(place.form, place.path, answer)}
          />{' '}
          {words}
        </label>
      ))}
    </div>
  )
}

import type { FieldProps } from './field-place.js'
import { enterValue } from './form-state.js'
import { UnsupportedField } from './OtherFields.js'

const answers = [
  ['Yes', true],
  ['No', false],
  ['Not sent', undefined],
] as const

/** Yes or no; where nothing has to be said, that is the third answer. */
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

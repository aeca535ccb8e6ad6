import { markedText } from '../../parts/text/hidden-characters.js'
import { Text } from '../../parts/text/Text.js'
import { choicesOf, type SchemaChoice, valueText } from '../choices.js'
import { valueAt } from '../edit-value.js'
import { isObject, type Json } from '../json.js'
import { sameJson } from '../read-json.js'
import type { FieldProps } from './field-place.js'
import { enterValue } from './form-state.js'
import { UnsupportedField } from './OtherFields.js'

const notSent = ''
const other = 'other'

/** One of the values that the schema lists. */
export function ChoiceField({ place, shape, value, required, control }: FieldProps) {
  const choices = choicesOf(shape) ?? []
  const index = choices.findIndex((choice) => sameJson(choice.value, value))
  const chosen = choices[index]
  const current = value === undefined ? notSent : index < 0 ? other : String(index)
  return (
    <>
      <select
        {...control}
        value={current}
        onChange={({ currentTarget }) =>
          enterValue(place.form, place.path, choices[Number(currentTarget.value || Number.NaN)]?.value)
        }
      >
        {(!required || value === undefined) && <option value={notSent}>{required ? 'Choose …' : 'Not sent'}</option>}
        {current === other && value !== undefined && (
          <option value={other}>{`${markedText(valueText(value))} (not in the list)`}</option>
        )}
        {choices.map((choice, index) => (
          <option key={index} value={String(index)}>
            {markedText(choice.label)}
          </option>
        ))}
      </select>
      {chosen && chosen.label !== valueText(chosen.value) && (
        <p class="little muted">
          Sent as <Text of={valueText(chosen.value)} mono />
        </p>
      )}
      {chosen?.about && (
        <p class="little">
          <Text of={chosen.about} />
        </p>
      )}
    </>
  )
}

/** Any of the values that the schema lists. */
export function ChoicesField(props: FieldProps) {
  const { place, shape, value, control } = props
  const choices = (isObject(shape.items) && choicesOf(shape.items)) || []
  if (value !== undefined && !isSelection(choices, value)) return <UnsupportedField {...props} />
  const pick = (choice: SchemaChoice, isPicked: boolean) => {
    const before = valueAt(place.form.value.value, place.path)
    // In the order of the list, not of the clicks.
    const next = choices.filter((one) => (one === choice ? isPicked : isIn(before, one.value)))
    enterValue(
      place.form,
      place.path,
      next.map((one) => one.value),
    )
  }
  return (
    <div class="answers" aria-describedby={control['aria-describedby']}>
      {choices.map((choice, index) => (
        <label key={index}>
          <input
            type="checkbox"
            checked={isIn(value, choice.value)}
            onChange={({ currentTarget }) => pick(choice, currentTarget.checked)}
          />{' '}
          <Text of={choice.label} />
        </label>
      ))}
    </div>
  )
}

const isIn = (list: Json | undefined, value: Json): boolean => Array.isArray(list) && list.some((item) => sameJson(item, value))

/** Only values of the list, each once: then boxes can say all of it. */
function isSelection(choices: readonly SchemaChoice[], value: Json): boolean {
  if (!Array.isArray(value)) return false
  const texts = value.map((item) => JSON.stringify(item))
  return new Set(texts).size === texts.length && value.every((item) => choices.some((choice) => sameJson(choice.value, item)))
}

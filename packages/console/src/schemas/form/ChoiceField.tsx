import { Checkbox, Choice } from '../../parts/Choice.js'
import { markedText, Paragraph, Text } from '../../parts/text/Text.js'
import { choicesOf, type SchemaChoice, valueText } from '../choices.js'
import { valueAt } from '../edit-value.js'
import { isObject, type Json } from '../json.js'
import { sameJson } from '../read-json.js'
import type { FieldProps } from './field-place.js'
import { enterValue } from './form-state.js'
import { UnsupportedField } from './OtherFields.js'

const notSent = -1
const other = -2

export function ChoiceField({ place, shape, value, required, control }: FieldProps) {
  const choices = choicesOf(shape) ?? []
  const index = choices.findIndex((choice) => sameJson(choice.value, value))
  const chosen = choices[index]
  const isOther = value !== undefined && index < 0
  const none = [notSent, required ? 'Choose …' : 'Not sent'] as const
  const offered = [
    ...(!required || value === undefined ? [none] : []),
    ...(isOther ? [[other, `${markedText(valueText(value))} (not in the list)`] as const] : []),
    ...choices.map(({ label }, at) => [at, markedText(label)] as const),
  ]
  return (
    <>
      <Choice
        {...control}
        value={isOther ? other : index}
        choices={offered}
        onChange={(at) => enterValue(place.form, place.path, choices[at]?.value)}
      />
      {chosen && chosen.label !== valueText(chosen.value) && (
        <Paragraph class="little muted" before="Sent as " of={valueText(chosen.value)} mono />
      )}
      <Paragraph class="little" of={chosen?.about} />
    </>
  )
}

export function ChoicesField(props: FieldProps) {
  const { place, shape, value, control } = props
  const choices = (isObject(shape.items) && choicesOf(shape.items)) || []
  if (value !== undefined && !isSelection(choices, value)) return <UnsupportedField {...props} />
  const pick = (choice: SchemaChoice, isPicked: boolean) => {
    const before = valueAt(place.form.value.value, place.path)
    // In the order of the list, not of the clicks.
    const picked = choices.filter((one) => (one === choice ? isPicked : isIn(before, one.value)))
    const next = picked.map((one) => one.value)
    enterValue(place.form, place.path, next)
  }
  return (
    <div class="answers cluster" aria-describedby={control['aria-describedby']}>
      {choices.map((choice, index) => (
        <Checkbox key={index} checked={isIn(value, choice.value)} onCheck={(isPicked) => pick(choice, isPicked)}>
          <Text of={choice.label} />
        </Checkbox>
      ))}
    </div>
  )
}

const isIn = (list: Json | undefined, value: Json): boolean => Array.isArray(list) && list.some((item) => sameJson(item, value))

/** Checkboxes can show the value only if it holds listed values, each once. */
function isSelection(choices: readonly SchemaChoice[], value: Json): boolean {
  if (!Array.isArray(value)) return false
  const texts = value.map((item) => JSON.stringify(item))
  return new Set(texts).size === texts.length && value.every((item) => choices.some((choice) => sameJson(choice.value, item)))
}

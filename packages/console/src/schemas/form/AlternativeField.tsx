import { useId } from 'preact/hooks'
import { Choice } from '../../parts/Choice.js'
import { markedText } from '../../parts/text/Text.js'
import { alternativesOf, chosenAlternative } from '../alternatives.js'
import { requiredInitialValue } from '../initial-value.js'
import { toPointer } from '../json.js'
import type { FieldProps } from './field-place.js'
import { chooseAlternative, omitValue } from './form-state.js'
import { UnsupportedField } from './OtherFields.js'
import { FieldBody } from './SchemaField.js'

/** A union: the choice of a branch, and then the field for it. */
export function AlternativeField(props: FieldProps) {
  const { place, shape, value, required } = props
  const { form, path } = place
  const id = useId()
  const alternatives = alternativesOf(form.document, shape)
  const at = chosenAlternative(alternatives, value, form.chosen.value.get(toPointer(path)))
  const chosen = alternatives[at]
  const canLeave = !required || value === undefined
  const pick = (index: number) => {
    const next = alternatives[index]
    if (!next) return omitValue(form, path)
    chooseAlternative(form, path, { index, begin: requiredInitialValue(form.document, next.schema) })
  }
  const kinds = alternatives.map(({ label }, index) => [index, markedText(label)] as const)
  const none = [-1, canLeave ? 'Not sent' : 'Something else'] as const
  return (
    <div class="either stack">
      <div class="cluster">
        <label for={id} class="little muted">
          Kind
        </label>
        <Choice id={id} value={at} choices={canLeave || at < 0 ? [none, ...kinds] : kinds} onChange={pick} />
      </div>
      {chosen && <FieldBody {...props} place={{ ...place, depth: place.depth + 1 }} schema={chosen.schema} />}
      {!chosen && value !== undefined && <UnsupportedField {...props} />}
    </div>
  )
}

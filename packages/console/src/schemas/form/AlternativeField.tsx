import { useId } from 'preact/hooks'
import { markedText } from '../../parts/text/hidden-characters.js'
import { type Alternative, alternativesOf, chosenAlternative } from '../alternatives.js'
import { requiredInitialValue } from '../initial-value.js'
import { toPointer } from '../json.js'
import { FieldBody } from './FieldBody.js'
import type { FieldProps } from './field-place.js'
import { chooseAlternative, omitValue } from './form-state.js'
import { UnsupportedField } from './OtherFields.js'

const notSent = 'none'

/** One of several kinds of value: which one, and then its own field. */
export function AlternativeField(props: FieldProps) {
  const { place, shape, value, required } = props
  const { form, path } = place
  const alternatives = alternativesOf(form.document, shape)
  const at = chosenAlternative(alternatives, value, form.chosen.value.get(toPointer(path)))
  const chosen = alternatives[at]
  const pick = (index: number) => {
    const next = alternatives[index]
    if (!next) return omitValue(form, path)
    chooseAlternative(form, path, { index, begin: requiredInitialValue(form.document, next.schema) })
  }
  return (
    <div class="either">
      <Kinds of={alternatives} at={at} canLeave={!required || value === undefined} onPick={pick} />
      {chosen && <FieldBody {...props} place={{ ...place, depth: place.depth + 1 }} schema={chosen.schema} />}
      {!chosen && value !== undefined && <UnsupportedField {...props} />}
    </div>
  )
}

type KindsProps = { of: readonly Alternative[]; at: number; canLeave: boolean; onPick: (index: number) => void }

function Kinds({ of, at, canLeave, onPick }: KindsProps) {
  const id = useId()
  return (
    <div class="kinds">
      <label for={id} class="little muted">
        Kind
      </label>
      <select id={id} value={at < 0 ? notSent : String(at)} onChange={({ currentTarget }) => onPick(Number(currentTarget.value))}>
        {(canLeave || at < 0) && <option value={notSent}>{canLeave ? 'Not sent' : 'Something else'}</option>}
        {of.map(({ label }, index) => (
          <option key={index} value={String(index)}>
            {markedText(label)}
          </option>
        ))}
      </select>
    </div>
  )
}

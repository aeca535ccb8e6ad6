import { useState } from 'preact/hooks'
import { inexactWarning, numberText, parseNumberText } from '../number-text.js'
import type { FieldProps } from './field-place.js'
import { enterValue } from './form-state.js'
import { UnsupportedField } from './OtherFields.js'

/** A number, typed as JSON writes it. */
export function NumberField(props: FieldProps) {
  const { place, shape, value, control } = props
  const [typed, setTyped] = useState<string>()
  if (value !== undefined && typeof value !== 'number' && typeof value !== 'string') return <UnsupportedField {...props} />
  const shown = numberText(value, typed)
  const write = (next: string) => {
    setTyped(next)
    enterValue(place.form, place.path, parseNumberText(next))
  }
  const lost = inexactWarning(shown)
  return (
    <>
      <input
        {...control}
        type="text"
        inputMode={shape.type === 'integer' ? 'numeric' : 'decimal'}
        autocomplete="off"
        value={shown}
        onInput={({ currentTarget }) => write(currentTarget.value)}
      />
      {lost && <p class="little warning">{lost}</p>}
    </>
  )
}

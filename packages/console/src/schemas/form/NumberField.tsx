import { useState } from 'preact/hooks'
import { isExactNumber, type Json } from '../json.js'
import type { FieldProps } from './field-place.js'
import { enterValue } from './form-state.js'
import { UnsupportedField } from './OtherFields.js'

/** A number in JSON syntax. */
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

// The JSON syntax of numbers: no hexadecimal, no spaces inside, no separators.
const form = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Parses a number. Other text stays a string, so that nothing is lost and validation can report it. */
export function parseNumberText(text: string): Json | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  return form.test(trimmed) && isExactNumber(trimmed) ? Number(trimmed) : trimmed
}

/** The text of the field: the typed text if it has this value, because 1.0 may become 1.05. */
export function numberText(value: Json | undefined, typed: string | undefined): string {
  if (typed !== undefined && parseNumberText(typed) === value) return typed
  if (value === undefined) return ''
  return typeof value === 'number' ? String(value) : typeof value === 'string' ? value : JSON.stringify(value)
}

/** Warns if a number would lose digits. */
export function inexactWarning(typed: string | undefined): string | undefined {
  const text = typed?.trim() ?? ''
  if (!form.test(text) || isExactNumber(text)) return undefined
  return 'The number has too many digits for JSON, so it cannot be sent.'
}

import { useState } from 'preact/hooks'
import { inexact, numberShown, numberTyped } from '../numbers.js'
import { enter } from './form-state.js'
import { ElsewhereField } from './OtherFields.js'
import type { FieldProps } from './place.js'

/** A number, typed as JSON writes it. */
export function NumberField(props: FieldProps) {
  const { place, shape, value, control } = props
  const [typed, setTyped] = useState<string>()
  if (value !== undefined && typeof value !== 'number' && typeof value !== 'string') return <ElsewhereField {...props} />
  const shown = numberShown(value, typed)
  const write = (next: string) => {
    setTyped(next)
    enter(place.form, place.path, numberTyped(next))
  }
  const lost = inexact(shown)
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

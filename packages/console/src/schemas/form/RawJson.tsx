import { useEffect, useState } from 'preact/hooks'
import { CodeField } from '../../parts/Field.js'
import { markedText } from '../../parts/text/Text.js'
import { isObject, type JsonObject } from '../json.js'
import { readJson, textFor } from '../read-json.js'
import { type FormState, replaceValue } from './form-state.js'

type Props = {
  readonly form: FormState
  /** Called with the error while the text is invalid, and with undefined when it is valid. */
  readonly onBroken: (why: string | undefined) => void
}

/** The arguments as JSON text, kept in sync with the form. */
export function RawJson({ form, onBroken }: Props) {
  const [typed, setTyped] = useState<string>()
  const text = textFor(form.value.value, typed)
  const { why } = argumentsIn(text)
  // With the field, the invalid text is gone.
  useEffect(() => () => onBroken(undefined), [])
  const write = (next: string) => {
    setTyped(next)
    const read = argumentsIn(next)
    if (read.value !== undefined) replaceValue(form, read.value)
    onBroken(read.why)
  }
  return (
    <CodeField
      label="Raw JSON"
      error={why && markedText(why)}
      class="raw-json mono"
      autocomplete="off"
      rows={Math.min(24, Math.max(5, text.split('\n').length + 1))}
      value={text}
      onText={write}
    />
  )
}

function argumentsIn(text: string): { readonly value?: JsonObject; readonly why?: string } {
  const read = readJson(text)
  if ('why' in read) return read
  return isObject(read.value) ? { value: read.value } : { why: 'Arguments must be an object: {"name": "value"}.' }
}

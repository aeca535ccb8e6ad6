import { useState } from 'preact/hooks'
import { Field } from '../../parts/Field.js'
import { markedText } from '../../parts/text/hidden-characters.js'
import { isObject } from '../json.js'
import { readJson, textFor } from '../read-json.js'
import { type FormState, replaceValue } from './form-state.js'

type Props = {
  readonly form: FormState
  /** Told why the text says nothing yet, and undefined when it does. */
  readonly onBroken: (why: string | undefined) => void
}

/** The arguments as JSON. What is written here stands in the form, and the other way round. */
export function RawJson({ form, onBroken }: Props) {
  const [typed, setTyped] = useState<string>()
  const text = textFor(form.value.value, typed)
  const why = troubleIn(text)
  const write = (next: string) => {
    setTyped(next)
    const trouble = troubleIn(next)
    const said = readJson(next)
    if (trouble === undefined && 'value' in said) replaceValue(form, said.value)
    onBroken(trouble)
  }
  return (
    <Field label="Raw JSON" error={why && markedText(why)}>
      {(control) => (
        <textarea
          {...control}
          class="raw-json mono"
          spellcheck={false}
          autocomplete="off"
          rows={Math.min(24, Math.max(5, text.split('\n').length + 1))}
          value={text}
          onInput={({ currentTarget }) => write(currentTarget.value)}
        />
      )}
    </Field>
  )
}

function troubleIn(text: string): string | undefined {
  const read = readJson(text)
  if ('why' in read) return read.why
  return isObject(read.value) ? undefined : 'Arguments must be an object: {"name": "value"}.'
}

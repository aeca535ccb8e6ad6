import { useId, useState } from 'preact/hooks'
import { Button } from '../../parts/Button.js'
import { markedText, Paragraph } from '../../parts/text/Text.js'
import type { Json } from '../json.js'
import type { FieldProps } from './field-place.js'
import { enterValue } from './form-state.js'
import { UnsupportedField } from './OtherFields.js'

/** A text field. An empty text is omitted, unless the user says that it is intended. */
export function TextField(props: FieldProps) {
  const { place, shape, value, required, control } = props
  if (value !== undefined && typeof value !== 'string') return <UnsupportedField {...props} />
  const text = value ?? ''
  const write = (next: string) => enterValue(place.form, place.path, next === '' && !required ? undefined : next)
  const common = { ...control, value: text, autocomplete: 'off', spellcheck: false, placeholder: placeholderOf(shape.examples) }
  return (
    <>
      {isOneLine(shape, text) ? (
        <input
          {...common}
          {...(isSecret(shape) ? { type: 'password' as const } : { type: 'text' as const })}
          inputMode={modes[String(shape.format)]}
          onInput={({ currentTarget }) => write(currentTarget.value)}
        />
      ) : (
        <textarea {...common} rows={1} onInput={({ currentTarget }) => write(currentTarget.value)} />
      )}
      {shape.contentEncoding === 'base64' && <FileInput onRead={write} />}
      {shape.format === 'date-time' && (
        <Button small variant="quiet" onClick={() => write(new Date().toISOString())}>
          Now
        </Button>
      )}
      {markedText(text) !== text && <Paragraph class="little" before="With hidden characters: " of={text} />}
      {text === '' && value === '' && <p class="little muted">An empty text is sent.</p>}
    </>
  )
}

const isSecret = ({ format, writeOnly }: FieldProps['shape']): boolean => format === 'password' || writeOnly === true

const modes: { readonly [format: string]: 'email' | 'url' | undefined } = { email: 'email', uri: 'url' }
const longestLine = 80

/** One line for texts that the schema declares short, unless the text has line breaks. */
function isOneLine({ format, maxLength, writeOnly }: FieldProps['shape'], text: string): boolean {
  if (/[\n\r]/.test(text)) return false
  return format !== undefined || writeOnly === true || (typeof maxLength === 'number' && maxLength <= longestLine)
}

function placeholderOf(examples: Json | undefined): string | undefined {
  const first = Array.isArray(examples) ? examples[0] : undefined
  return typeof first === 'string' ? `such as ${markedText(first)}` : undefined
}

/** The API takes bodies of 1 MiB, and base64 is a third longer than the file. */
const largest = 750 * 1024

/** Reads a local file as base64. Nothing is sent before the form is. */
function FileInput({ onRead }: { onRead: (base64: string) => void }) {
  const id = useId()
  const [trouble, setTrouble] = useState('')
  async function read(file: File | undefined): Promise<void> {
    if (!file) return
    if (file.size > largest) return setTrouble('The file is larger than 750 KiB, the limit for a call from the console.')
    setTrouble('')
    onRead(base64Of(new Uint8Array(await file.arrayBuffer())))
  }
  return (
    <div class="cluster little">
      <label for={id}>Or from a file</label>
      <input id={id} type="file" onChange={({ currentTarget }) => void read(currentTarget.files?.[0])} />
      {trouble && <p class="error">{trouble}</p>}
    </div>
  )
}

const piece = 32_768

function base64Of(bytes: Uint8Array): string {
  let binary = ''
  for (let from = 0; from < bytes.length; from += piece) binary += String.fromCharCode(...bytes.subarray(from, from + piece))
  return btoa(binary)
}

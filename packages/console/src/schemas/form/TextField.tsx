import { Button } from '../../parts/Button.js'
import { markedText } from '../../parts/text/hidden-characters.js'
import { Text } from '../../parts/text/Text.js'
import type { Json } from '../json.js'
import { FileInput } from './FileInput.js'
import type { FieldProps } from './field-place.js'
import { enterValue } from './form-state.js'
import { UnsupportedField } from './OtherFields.js'

/** A text. An empty one is left out, unless somebody says that it is meant. */
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
      {markedText(text) !== text && (
        <p class="little">
          With hidden characters: <Text of={text} />
        </p>
      )}
      {text === '' && value === '' && <p class="little muted">An empty text is sent.</p>}
    </>
  )
}

const isSecret = ({ format, writeOnly }: FieldProps['shape']): boolean => format === 'password' || writeOnly === true

const modes: { readonly [format: string]: 'email' | 'url' | undefined } = { email: 'email', uri: 'url' }
const longestLine = 80

/** A line where the schema says that it is short; what has line ends needs a place that keeps them. */
function isOneLine({ format, maxLength, writeOnly }: FieldProps['shape'], text: string): boolean {
  if (/[\n\r]/.test(text)) return false
  return format !== undefined || writeOnly === true || (typeof maxLength === 'number' && maxLength <= longestLine)
}

function placeholderOf(examples: Json | undefined): string | undefined {
  const first = Array.isArray(examples) ? examples[0] : undefined
  return typeof first === 'string' ? `such as ${markedText(first)}` : undefined
}

import { Text } from '../../parts/text/Text.js'
import { valueAt } from '../edit-value.js'
import { type FieldKind, kindOf } from '../field-kinds.js'
import { type Json, type JsonObject, toPointer } from '../json.js'
import { schemaNotesOf } from '../members.js'
import { resolveSchema } from '../resolve-schema.js'
import { limitTexts, sentence } from '../schema-text.js'
import { afterPress } from './after-press.js'
import { controls } from './controls.js'
import { FieldHead } from './FieldHead.js'
import { FieldMessages } from './FieldMessages.js'
import type { ControlProps, FieldPlace } from './field-place.js'
import { messagesAt, touchField } from './form-state.js'

type Props = {
  readonly place: FieldPlace
  readonly schema: Json
  readonly label: string
  readonly required?: boolean
  /** An item of a list: it is taken out with its own button. */
  readonly item?: boolean
}

// A schema that holds itself could be shown without an end.
const deepest = 24

/** Controls that a label can name; others are groups of controls. */
const single: ReadonlySet<FieldKind> = new Set(['text', 'number', 'choice'])

/** A field of a form: its label, what is said about it, the control that its schema asks for, and what is wrong. */
export function SchemaField({ place, schema, label, required = false, item = false }: Props) {
  const { form, path, id } = place
  const value = valueAt(form.value.value, path)
  const shape = resolveSchema(form.document, schema, value)
  const kind = place.depth > deepest ? 'never' : kindOf(shape)
  const Control = controls[kind]
  const isSingle = single.has(kind)
  const content = (
    <>
      <FieldHead
        place={place}
        told={schemaNotesOf(shape)}
        label={label}
        kind={kind}
        value={value}
        required={required && !item}
        canLeave={!required && !item}
        isSingle={isSingle}
      />
      <About place={place} shape={shape} kind={kind} />
      <Control place={place} shape={shape} value={value} required={required} control={controlProps(place, required)} />
      <FieldMessages place={place} />
    </>
  )
  const common = { class: `form-field ${kind}${value === undefined ? ' absent' : ''}`, 'data-pointer': toPointer(path) }
  if (!isSingle)
    return (
      <fieldset {...common} aria-labelledby={`${id}:name`} aria-describedby={`${id}:about`}>
        {content}
      </fieldset>
    )
  return (
    <div {...common} onFocusOut={() => afterPress(() => touchField(form, path))}>
      {content}
    </div>
  )
}

const controlProps = (place: FieldPlace, required: boolean): ControlProps => ({
  id: place.id,
  'aria-describedby': `${place.id}:about ${place.id}:messages`,
  ...(messagesAt(place.form, place.path).length > 0 && { 'aria-invalid': true as const }),
  ...(required && { 'aria-required': true as const }),
})

function About({ place, shape, kind }: { place: FieldPlace; shape: JsonObject; kind: FieldKind }) {
  const { description } = schemaNotesOf(shape)
  const limits = kind === 'choice' || kind === 'either' ? [] : limitTexts(shape)
  return (
    <div class="field-about" id={`${place.id}:about`}>
      {description && (
        <p>
          <Text of={description} />
        </p>
      )}
      {limits.length > 0 && (
        <p>
          <Text of={sentence(limits.join(', '))} />
        </p>
      )}
    </div>
  )
}

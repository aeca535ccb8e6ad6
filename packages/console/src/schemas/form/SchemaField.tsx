import type { ComponentType } from 'preact'
import { Paragraph } from '../../parts/text/Text.js'
import { valueAt } from '../edit-value.js'
import { type FieldKind, kindOf } from '../field-kinds.js'
import { type Json, toPointer } from '../json.js'
import { schemaNotesOf } from '../members.js'
import { resolveSchema } from '../resolve-schema.js'
import { limitTexts, sentence } from '../schema-text.js'
import { AlternativeField } from './AlternativeField.js'
import { ArrayField } from './ArrayField.js'
import { ChoiceField, ChoicesField } from './ChoiceField.js'
import { FieldHead } from './FieldHead.js'
import type { FieldPlace, FieldProps } from './field-place.js'
import { messagesAt, touchField } from './form-state.js'
import { NumberField } from './NumberField.js'
import { ObjectField } from './ObjectField.js'
import { BooleanField, NullField, UnsupportedField } from './OtherFields.js'
import { TextField } from './TextField.js'

const controls: { readonly [kind in FieldKind]: ComponentType<FieldProps> } = {
  text: TextField,
  number: NumberField,
  truth: BooleanField,
  nothing: NullField,
  choice: ChoiceField,
  choices: ChoicesField,
  group: ObjectField,
  list: ArrayField,
  either: AlternativeField,
  never: UnsupportedField,
}

// A recursive schema would go on without end.
const deepest = 24

/** The resolved schema at a position, with its control and texts. */
function fieldModelOf({ form, depth }: FieldPlace, schema: Json, value: Json | undefined) {
  const shape = resolveSchema(form.document, schema, value)
  const kind = depth > deepest ? 'never' : kindOf(shape)
  return { shape, kind, Control: controls[kind], told: schemaNotesOf(shape), limits: sentence(limitTexts(shape).join(', ')) }
}

type Props = {
  readonly place: FieldPlace
  readonly schema: Json
  readonly label: string
  readonly required?: boolean
  /** An item of an array, which has its own button to remove it. */
  readonly item?: boolean
}

/** Kinds whose field is a single control, which a label can name; others are groups of controls. */
const single: ReadonlySet<FieldKind> = new Set(['text', 'number', 'choice'])

/** A field of a form: label, description, control and errors. */
export function SchemaField({ place, schema, label, required = false, item = false }: Props) {
  const { form, path, id } = place
  const value = valueAt(form.value.value, path)
  const { shape, kind, Control, told, limits } = fieldModelOf(place, schema, value)
  const isSingle = single.has(kind)
  const control = {
    id,
    'aria-describedby': `${id}:about ${id}:messages`,
    ...(messagesAt(form, path).length > 0 && { 'aria-invalid': true as const }),
    ...(required && { 'aria-required': true as const }),
  }
  const content = (
    <>
      <FieldHead
        place={place}
        told={told}
        label={label}
        kind={kind}
        value={value}
        required={required && !item}
        canLeave={!required && !item}
        isSingle={isSingle}
      />
      <div class="field-about muted little" id={`${id}:about`}>
        <Paragraph of={told.description} />
        {kind !== 'choice' && kind !== 'either' && <Paragraph of={limits} />}
      </div>
      <Control place={place} shape={shape} value={value} required={required} control={control} />
      <FieldMessages place={place} />
    </>
  )
  const common = {
    class: `form-field stack close start ${kind}${value === undefined ? ' absent' : ''}`,
    'data-pointer': toPointer(path),
  }
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

/** The control for the chosen branch of a union, whose field has a label already. */
export function FieldBody({ schema, ...props }: FieldProps & { schema: Json }) {
  const { place, value } = props
  const { shape, kind, Control, told, limits } = fieldModelOf(place, schema, value)
  const label = kind === 'text' || kind === 'number' ? { 'aria-label': 'Value' } : {}
  return (
    <div class="field-body stack" onFocusOut={() => afterPress(() => touchField(place.form, place.path))}>
      <Paragraph of={told.description} class="field-about muted little" />
      {kind !== 'either' && <Paragraph of={limits} class="field-about muted little" />}
      {/* Required, because the value can be omitted only as a whole, by the choice of the branch. */}
      <Control {...props} shape={shape} required control={{ ...props.control, ...label }} />
    </div>
  )
}

export const FieldMessages = ({ place: { form, path, id } }: { place: FieldPlace }) => (
  <div class="messages" id={`${id}:messages`}>
    {messagesAt(form, path).map((message) => (
      <Paragraph class="error" key={message} of={`${sentence(message)}.`} />
    ))}
  </div>
)

// Errors that appear when a field loses the focus must not move the button that is being pressed, or the click would miss it.
let isPressed = false

globalThis.addEventListener?.('pointerdown', () => (isPressed = true), { capture: true })
for (const end of ['pointerup', 'pointercancel']) globalThis.addEventListener?.(end, () => (isPressed = false), { capture: true })

/** Acts at once, or after the click that has taken the focus away. */
function afterPress(act: () => void): void {
  if (isPressed) addEventListener('pointerup', () => setTimeout(act, 0), { once: true })
  else act()
}

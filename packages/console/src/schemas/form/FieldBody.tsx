import { Text } from '../../parts/text/Text.js'
import { kindOf } from '../field-kinds.js'
import type { Json } from '../json.js'
import { schemaNotesOf } from '../members.js'
import { resolveSchema } from '../resolve-schema.js'
import { limitTexts, sentence } from '../schema-text.js'
import { afterPress } from './after-press.js'
import { controls } from './controls.js'
import type { FieldProps } from './field-place.js'
import { touchField } from './form-state.js'

const deepest = 24

/** The control for one of several schemas of a field, which has its label already. */
export function FieldBody({ schema, ...props }: FieldProps & { schema: Json }) {
  const { place, value } = props
  const shape = resolveSchema(place.form.document, schema, value)
  const kind = place.depth > deepest ? 'never' : kindOf(shape)
  const Control = controls[kind]
  const { description } = schemaNotesOf(shape)
  const said = [description, kind === 'either' ? undefined : sentence(limitTexts(shape).join(', '))].filter(Boolean)
  return (
    <div class="field-body" onFocusOut={() => afterPress(() => touchField(place.form, place.path))}>
      {said.map((words) => (
        <p class="field-about" key={words}>
          <Text of={words ?? ''} />
        </p>
      ))}
      {/* What is left out is left out as a whole, where its kind is chosen. */}
      <Control
        {...props}
        shape={shape}
        required
        control={{ ...props.control, ...labelled[kind === 'text' || kind === 'number' ? 'single' : 'group'] }}
      />
    </div>
  )
}

const labelled = { single: { 'aria-label': 'Value' }, group: {} }

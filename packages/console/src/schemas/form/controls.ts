import type { ComponentType } from 'preact'
import type { FieldKind } from '../field-kinds.js'
import { AlternativeField } from './AlternativeField.js'
import { ArrayField } from './ArrayField.js'
import { BooleanField } from './BooleanField.js'
import { ChoiceField, ChoicesField } from './ChoiceField.js'
import type { FieldProps } from './field-place.js'
import { NumberField } from './NumberField.js'
import { ObjectField } from './ObjectField.js'
import { NullField, UnsupportedField } from './OtherFields.js'
import { TextField } from './TextField.js'

/** The control for each kind of value. */
export const controls: { readonly [kind in FieldKind]: ComponentType<FieldProps> } = {
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

import type { ComponentType } from 'preact'
import type { FieldKind } from '../kinds.js'
import { ChoiceField, ChoicesField } from './ChoiceField.js'
import { AlternativeField } from './EitherField.js'
import { ObjectField } from './GroupField.js'
import { ArrayField } from './ListField.js'
import { NumberField } from './NumberField.js'
import { NullField, UnsupportedField } from './OtherFields.js'
import type { FieldProps } from './place.js'
import { TextField } from './TextField.js'
import { BooleanField } from './TruthField.js'

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

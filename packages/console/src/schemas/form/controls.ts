import type { ComponentType } from 'preact'
import type { FieldKind } from '../kinds.js'
import { ChoiceField, ChoicesField } from './ChoiceField.js'
import { EitherField } from './EitherField.js'
import { GroupField } from './GroupField.js'
import { ListField } from './ListField.js'
import { NumberField } from './NumberField.js'
import { ElsewhereField, NothingField } from './OtherFields.js'
import type { FieldProps } from './place.js'
import { TextField } from './TextField.js'
import { TruthField } from './TruthField.js'

/** The control for each kind of value. */
export const controls: { readonly [kind in FieldKind]: ComponentType<FieldProps> } = {
  text: TextField,
  number: NumberField,
  truth: TruthField,
  nothing: NothingField,
  choice: ChoiceField,
  choices: ChoicesField,
  group: GroupField,
  list: ListField,
  either: EitherField,
  never: ElsewhereField,
}

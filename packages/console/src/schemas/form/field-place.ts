import type { Path } from '../edit-value.js'
import type { Json, JsonObject } from '../json.js'
import type { FormState } from './form-state.js'

export type FieldPlace = {
  readonly form: FormState
  readonly path: Path
  /** Prefix of element ids in this form, which differs for each form on the page. */
  readonly id: string
  readonly depth: number
}

/** The position of a nested field. Its id cannot clash with other ids of the form. */
export const placeInside = ({ form, path, id, depth }: FieldPlace, key: string | number): FieldPlace => ({
  form,
  path: [...path, key],
  id: `${id}/${typeof key === 'number' ? key : encodeURIComponent(key)}`,
  depth: depth + 1,
})

/** Attributes that connect a control to its label, hint and messages. */
export type ControlProps = {
  readonly id: string
  readonly 'aria-describedby': string
  readonly 'aria-invalid'?: true
  readonly 'aria-required'?: true
}

export type FieldProps = {
  readonly place: FieldPlace
  readonly shape: JsonObject
  readonly value: Json | undefined
  readonly required: boolean
  readonly control: ControlProps
}

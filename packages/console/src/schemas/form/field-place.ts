import type { Path } from '../edit-value.js'
import type { Json, JsonObject } from '../json.js'
import type { FormState } from './form-state.js'

/** Where in a form a field stands. */
export type FieldPlace = {
  readonly form: FormState
  readonly path: Path
  /** Begins the ids of what is in the form, so that two forms on a page have none in common. */
  readonly id: string
  readonly depth: number
}

/** A field inside another; its id has no part that the id of something else in the form could have. */
export const placeInside = ({ form, path, id, depth }: FieldPlace, key: string | number): FieldPlace => ({
  form,
  path: [...path, key],
  id: `${id}/${typeof key === 'number' ? key : encodeURIComponent(key)}`,
  depth: depth + 1,
})

/** What a control needs to belong to its label, its hint and its messages. */
export type ControlProps = {
  readonly id: string
  readonly 'aria-describedby': string
  readonly 'aria-invalid'?: true
  readonly 'aria-required'?: true
}

/** What every field is given. */
export type FieldProps = {
  readonly place: FieldPlace
  readonly shape: JsonObject
  readonly value: Json | undefined
  readonly required: boolean
  readonly control: ControlProps
}

// Elicitation forms: flat objects of simple fields. Later revisions allow more kinds of field.
import { isObject, type Json, type JsonObject } from '../../json.js'

type Field = JsonObject
/** Formats that clients have a field for; any other still holds when the answer is checked. */
const formats: ReadonlySet<unknown> = new Set(['email', 'uri', 'date', 'date-time'])

const keep = (field: Field, keys: readonly string[]): Field => {
  const isKept = ([key, value]: [string, unknown]) => keys.includes(key) && (key !== 'format' || formats.has(value))
  return Object.fromEntries(Object.entries(field).filter(isKept))
}
const described = ['type', 'title', 'description'] as const

/** A choice among strings is a valid schema without a type, but a form field needs one. */
const typeOf = ({ type }: Field): string => (typeof type === 'string' ? type : 'string')

const fieldKeys: Readonly<Record<string, readonly string[]>> = {
  string: [...described, 'minLength', 'maxLength', 'pattern', 'format', 'enum', 'enumNames', 'oneOf', 'default'],
  number: [...described, 'minimum', 'maximum', 'default'],
  integer: [...described, 'minimum', 'maximum', 'default'],
  boolean: [...described, 'default'],
  array: [...described, 'minItems', 'maxItems', 'items', 'default'],
}

/** The widest form: titled choices, several choices, defaults for every type. */
export const encodeFullForm = (schema: JsonObject): JsonObject =>
  form(schema, (field) => keep(field, fieldKeys[typeOf(field)] ?? described))

/** The first form: single choices with `enumNames`, and defaults for booleans only. */
export function encodePlainForm(schema: JsonObject): JsonObject {
  return form(schema, (field) => {
    if (field.type === 'array') throw new UnsupportedForm('this client cannot be asked for several choices at once')
    const { oneOf, default: preset, ...rest } = keep(field, fieldKeys[typeOf(field)] ?? described)
    if (field.type === 'boolean' && preset !== undefined) rest.default = preset
    return Array.isArray(oneOf) ? { ...rest, enum: memberValues(oneOf, 'const'), enumNames: memberValues(oneOf, 'title') } : rest
  })
}

/** The form needs something that the client's revision cannot show. */
export class UnsupportedForm extends Error {}

const memberValues = (choices: Json[], key: string): Json[] =>
  choices.map((choice) => (isObject(choice) ? choice[key] : undefined) ?? null)

function form(schema: JsonObject, field: (schema: Field) => JsonObject): JsonObject {
  const { properties, required } = schema
  const fields = Object.entries(isObject(properties) ? properties : {}).flatMap(([name, one]) =>
    isObject(one) ? [[name, { type: typeOf(one), ...field(one) }]] : [],
  )
  const demanded = Array.isArray(required) && required.length > 0 && { required }
  return { type: 'object', properties: Object.fromEntries(fields), ...demanded }
}

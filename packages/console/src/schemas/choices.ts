import { isObject, type Json, type JsonObject } from './json.js'

/** A value that a schema lists, with its label. */
export type SchemaChoice = { readonly value: Json; readonly label: string; readonly about?: string }

/** All values that match the schema, if it lists them. */
export function choicesOf(shape: JsonObject): readonly SchemaChoice[] | undefined {
  if (shape.const !== undefined) return [choice(shape.const, shape.title)]
  if (Array.isArray(shape.enum)) return shape.enum.map((value, index) => choice(value, nameAt(shape.enumNames, index)))
  const branches = shape.oneOf ?? shape.anyOf
  return Array.isArray(branches) && branches.length > 0 ? titled(branches) : undefined
}

/** spec 2025-11-25, client/elicitation: values with titles are branches of one value each. */
function titled(branches: readonly Json[]): readonly SchemaChoice[] | undefined {
  const choices = branches.map((branch) => (isObject(branch) && isSingle(branch) ? ofBranch(branch) : undefined))
  return choices.every((one) => one !== undefined) ? choices : undefined
}

const isSingle = ({ const: only, properties }: JsonObject): boolean => only !== undefined && properties === undefined

function ofBranch({ const: value, title, description }: JsonObject): SchemaChoice {
  return { ...choice(value ?? null, title), ...(typeof description === 'string' && { about: description }) }
}

const nameAt = (names: Json | undefined, index: number) => (Array.isArray(names) ? names[index] : undefined)

function choice(value: Json, title: Json | undefined): SchemaChoice {
  return { value, label: typeof title === 'string' && title !== '' ? title : valueText(value) }
}

/** A short text for a value without a label. */
export function valueText(value: Json): string {
  if (typeof value === 'string') return value === '' ? '(empty text)' : value
  if (value === null) return 'nothing (null)'
  return JSON.stringify(value)
}

// The members of an object and the items of an array.

import { untrustedLimits } from '../../../toolwire/src/schema/limits.js'
import { linearPatterns } from '../../../toolwire/src/schema/patterns/linear-patterns.js'
import { isObject, type Json, type JsonObject, ownMember, textsIn } from './json.js'

/** A member in the schema or in the value. */
export type Member = {
  readonly name: string
  readonly schema: Json
  readonly required: boolean
  /** The name is not in the schema, so the user may change it. */
  readonly extra: boolean
}

/** The members that the schema names, in its order, followed by all others of the value. */
export function membersOf(shape: JsonObject, value: Json | undefined): readonly Member[] {
  const named = isObject(shape.properties) ? shape.properties : {}
  const required = new Set(textsIn(shape.required))
  const known = new Set([...Object.keys(named), ...required])
  const names = new Set([...known, ...Object.keys(isObject(value) ? value : {})])
  return [...names].map((name) => ({
    name,
    schema: ownMember(named, name) ?? schemaOfOther(shape, name),
    required: required.has(name),
    extra: !known.has(name),
  }))
}

/** The schema of a member that the schema does not name. */
export function schemaOfOther(shape: JsonObject, name: string): Json {
  const patterns = isObject(shape.patternProperties) ? Object.entries(shape.patternProperties) : []
  const fitting = patterns.find(([source]) => occursIn(source, name))
  return fitting?.[1] ?? shape.additionalProperties ?? shape.unevaluatedProperties ?? true
}

function occursIn(source: string, name: string): boolean {
  try {
    return linearPatterns(untrustedLimits.instructions)(source).test(name, unbounded)
  } catch {
    return false // invalid pattern, which validation reports
  }
}

/** A name typed by a person is short, so matching needs no budget. */
const unbounded = { spend: () => undefined }

/** May members with other names be added? A schema that names some and says nothing of others is taken to allow no others. */
export function mayHaveOthers({
  properties,
  additionalProperties,
  patternProperties,
  unevaluatedProperties,
}: JsonObject): boolean {
  const said = additionalProperties ?? unevaluatedProperties
  if (said !== undefined) return said !== false || patternProperties !== undefined
  return patternProperties !== undefined || !isObject(properties) || Object.keys(properties).length === 0
}

export function schemaOfItem(shape: JsonObject, index: number): Json {
  const { prefixItems, items, additionalItems } = shape
  // In draft-07, `items` may be an array of the first items, with `additionalItems` for the rest.
  const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []
  const rest = Array.isArray(items) ? additionalItems : items
  return first[index] ?? rest ?? shape.unevaluatedItems ?? true
}

export const mayHaveItem = (shape: JsonObject, index: number): boolean => {
  const { maxItems } = shape
  return schemaOfItem(shape, index) !== false && !(typeof maxItems === 'number' && index >= maxItems)
}

export function freshName(value: Json | undefined): string {
  const taken = new Set(isObject(value) ? Object.keys(value) : [])
  for (let number = 1; ; number++) {
    const name = number === 1 ? 'name' : `name${number}`
    if (!taken.has(name)) return name
  }
}

/** Annotations in the schema of a member or an item. */
export type SchemaNotes = {
  readonly title?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly readOnly?: boolean
}

export function schemaNotesOf(shape: JsonObject): SchemaNotes {
  const { title, description, deprecated, readOnly } = shape
  return {
    ...(typeof title === 'string' && title !== '' && { title }),
    ...(typeof description === 'string' && description !== '' && { description }),
    ...(deprecated === true && { deprecated }),
    ...(readOnly === true && { readOnly }),
  }
}

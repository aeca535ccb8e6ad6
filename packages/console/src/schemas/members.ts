// What stands in a group, and in a list.

import { untrustedLimits } from '../../../toolwire/src/schema/limits.js'
import { linearPatterns } from '../../../toolwire/src/schema/patterns/linear-patterns.js'
import { isObject, type Json, type JsonObject, ownMember, textsIn } from './json.js'

/** A member that the schema names, or that is there although it does not. */
export type Member = {
  readonly name: string
  readonly schema: Json
  readonly required: boolean
  /** Its name is not the schema's: it can be changed. */
  readonly extra: boolean
}

/** Members that the schema names, in its order, and then all others that the value has. */
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

/** What is said for a member whose name the schema does not know. */
export function schemaOfOther(shape: JsonObject, name: string): Json {
  const patterns = isObject(shape.patternProperties) ? Object.entries(shape.patternProperties) : []
  const fitting = patterns.find(([source]) => occursIn(source, name))
  return fitting?.[1] ?? shape.additionalProperties ?? shape.unevaluatedProperties ?? true
}

function occursIn(source: string, name: string): boolean {
  try {
    return linearPatterns(untrustedLimits.instructions)(source).test(name, unbounded)
  } catch {
    return false // no pattern at all: then the check says so
  }
}

/** A name that somebody types is short. */
const unbounded = { spend: () => undefined }

/** Whether members may be added under other names. A schema that names some and says nothing about others means that there are none. */
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

/** The schema of the item at an index. */
export function schemaOfItem(shape: JsonObject, index: number): Json {
  const { prefixItems, items, additionalItems } = shape
  // Draft-07 wrote the first items as a list under `items`, and the rest under `additionalItems`.
  const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []
  const rest = Array.isArray(items) ? additionalItems : items
  return first[index] ?? rest ?? shape.unevaluatedItems ?? true
}

export const mayHaveItem = (shape: JsonObject, index: number): boolean => {
  const { maxItems } = shape
  return schemaOfItem(shape, index) !== false && !(typeof maxItems === 'number' && index >= maxItems)
}

/** A name that is not taken. */
export function freshName(value: Json | undefined): string {
  const taken = new Set(isObject(value) ? Object.keys(value) : [])
  for (let number = 1; ; number++) {
    const name = number === 1 ? 'name' : `name${number}`
    if (!taken.has(name)) return name
  }
}

/** A member or an item as its own schema tells of it. */
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

import { alternativesOf } from './alternatives.js'
import { choicesOf } from './choices.js'
import { type FieldKind, kindOf } from './field-kinds.js'
import { isObject, type Json, type JsonObject } from './json.js'
import { membersOf, schemaOfItem } from './members.js'
import { resolveSchema } from './resolve-schema.js'
import type { SchemaDocument } from './schema-document.js'

// A schema may be recursive or very wide; the user fills in the rest.
const deepest = 6
const mostValues = 200
const mostItems = 20

/** The depth in the form, and the number of values that may still be created. */
type Room = { readonly depth: number; readonly left: { count: number } }

const wholeRoom = (): Room => ({ depth: 0, left: { count: mostValues } })
const inside = ({ depth, left }: Room): Room => ({ depth: depth + 1, left })
const isFull = ({ depth, left }: Room): boolean => depth >= deepest || --left.count < 0

/** The initial value of a field: a default or the only possible value; undefined if the user must decide. */
export function initialValue(document: SchemaDocument, schema: Json, room = wholeRoom()): Json | undefined {
  const shape = resolveSchema(document, schema)
  if (shape.default !== undefined) return structuredClone(shape.default)
  const choices = choicesOf(shape)
  if (choices?.length === 1) return choices[0]?.value
  const kind = kindOf(shape)
  if (kind === 'group') return groupFor(document, shape, room)
  return kind === 'nothing' ? null : undefined
}

function groupFor(document: SchemaDocument, shape: JsonObject, room: Room): JsonObject {
  if (isFull(room)) return {}
  const entries = membersOf(shape, undefined).flatMap(({ name, schema, required }): [string, Json][] => {
    const value = required || hasDefault(document, schema) ? initialValue(document, schema, inside(room)) : undefined
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(entries)
}

const hasDefault = (document: SchemaDocument, schema: Json): boolean => resolveSchema(document, schema).default !== undefined

/** An initial value where one is needed, as for a new item of a list. */
export function requiredInitialValue(document: SchemaDocument, schema: Json, room = wholeRoom()): Json {
  const shape = resolveSchema(document, schema)
  const kind = kindOf(shape)
  if (kind === 'list' || kind === 'choices')
    return shape.default === undefined ? listFor(document, shape, room) : (shape.default ?? [])
  const starting = initialValue(document, schema, room)
  if (starting !== undefined) return starting
  if (kind === 'choice') return choicesOf(shape)?.[0]?.value ?? null
  if (kind === 'either') return firstOf(document, shape, room)
  return plain(kind, shape)
}

function listFor(document: SchemaDocument, shape: JsonObject, room: Room): Json[] {
  if (isFull(room) || kindOf(shape) === 'choices') return []
  const prefix = Array.isArray(shape.prefixItems) ? shape.prefixItems.length : 0
  const least = Math.min(mostItems, Math.max(prefix, typeof shape.minItems === 'number' ? shape.minItems : 0))
  return Array.from({ length: least }, (_, index) => requiredInitialValue(document, schemaOfItem(shape, index), inside(room)))
}

function firstOf(document: SchemaDocument, shape: JsonObject, room: Room): Json {
  const first = alternativesOf(document, shape)[0]
  return first && !isFull(room) ? requiredInitialValue(document, first.schema, inside(room)) : null
}

function plain(kind: FieldKind, shape: JsonObject): Json {
  if (kind === 'text') return ''
  if (kind === 'number') return nearestToZero(shape)
  if (kind === 'truth') return false
  return kind === 'list' || kind === 'choices' ? [] : null
}

function nearestToZero({ minimum, maximum, exclusiveMinimum }: JsonObject): number {
  const least = typeof minimum === 'number' ? minimum : typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : 0
  return Math.min(Math.max(0, least), typeof maximum === 'number' ? maximum : Number.POSITIVE_INFINITY)
}

export function initialArguments(document: SchemaDocument): JsonObject {
  const value = initialValue(document, document.root)
  return isObject(value) ? value : {}
}

import { alternativesOf } from './alternatives.js'
import { choicesOf, type SchemaChoice } from './choices.js'
import { branchesOf, typesOf } from './field-kinds.js'
import { isObject, type Json, type JsonObject } from './json.js'
import { mayHaveOthers, membersOf, type SchemaNotes, schemaNotesOf, schemaOfItem } from './members.js'
import { resolveSchema } from './resolve-schema.js'
import type { SchemaDocument } from './schema-document.js'
import { kindText, limitTexts } from './schema-text.js'

export type OutlineNode = SchemaNotes & {
  readonly kind: string
  readonly limits: readonly string[]
  readonly choices?: readonly SchemaChoice[]
  readonly default?: Json
  readonly examples?: readonly Json[]
  /** Why parts are left out: the schema is recursive and the value described above, or the outline has reached its limit. */
  readonly omitted?: 'recursive' | 'limit'
  readonly parts: readonly OutlinePart[]
}

/** A part of a value: a member, the items of a list, or one branch of a union. */
export type OutlinePart = {
  readonly role: 'member' | 'items' | 'others' | 'kind'
  readonly name: string
  readonly required: boolean
  readonly of: OutlineNode
}

const deepest = 12
/** Nobody reads a longer outline; the schema itself can be read in full. */
const mostParts = 1_000

type Above = { readonly schemas: readonly Json[]; readonly left: { count: number } }

/** The outline of a schema; a recursive part appears once. */
export function outlineOf(
  document: SchemaDocument,
  schema: Json,
  above: Above = { schemas: [], left: { count: mostParts } },
): OutlineNode {
  const shape = resolveSchema(document, schema)
  const choices = choicesOf(shape)
  const itself = target(document, schema)
  const isTooLong = above.schemas.length >= deepest || --above.left.count < 0
  const omitted = above.schemas.includes(itself) ? 'recursive' : isTooLong ? 'limit' : undefined
  const around = { ...above, schemas: [...above.schemas, itself] }
  const told = {
    ...schemaNotesOf(shape),
    kind: kindText(shape),
    limits: limitTexts(shape),
    ...(choices && { choices }),
    ...(shape.default !== undefined && { default: shape.default }),
    ...(Array.isArray(shape.examples) && { examples: shape.examples }),
  }
  if (omitted) return { ...told, omitted, parts: [] }
  return { ...told, parts: choices ? [] : partsOf(document, shape, around) }
}

/** The target of a reference, which identifies recursion. */
const target = (document: SchemaDocument, schema: Json): Json =>
  (isObject(schema) && typeof schema.$ref === 'string' && document.resolve(schema.$ref)) || schema

function partsOf(document: SchemaDocument, shape: JsonObject, above: Above): OutlinePart[] {
  const of = (schema: Json) => outlineOf(document, schema, above)
  if (branchesOf(shape).length > 0)
    return alternativesOf(document, shape).map(({ label, schema }) => part('kind', label, of(schema)))
  const types = typesOf(shape)
  if (types.length > 5) return []
  return [...(types.includes('object') ? membersIn(shape, of) : []), ...(types.includes('array') ? itemsIn(shape, of) : [])]
}

type OutlineOf = (schema: Json) => OutlineNode
const part = (role: OutlinePart['role'], name: string, of: OutlineNode): OutlinePart => ({ role, name, required: false, of })

function membersIn(shape: JsonObject, of: OutlineOf): OutlinePart[] {
  const others = shape.additionalProperties
  const patterns = isObject(shape.patternProperties) ? Object.entries(shape.patternProperties) : []
  return [
    ...membersOf(shape, undefined).map(({ name, schema, required }) => ({ ...part('member', name, of(schema)), required })),
    ...patterns.map(([source, schema]) => part('others', `names that match /${source}/`, of(schema ?? true))),
    ...(mayHaveOthers(shape) && others !== undefined && others !== false ? [part('others', 'any other name', of(others))] : []),
  ]
}

function itemsIn(shape: JsonObject, of: OutlineOf): OutlinePart[] {
  const listed = Array.isArray(shape.prefixItems) ? shape.prefixItems : Array.isArray(shape.items) ? shape.items : []
  const rest = schemaOfItem(shape, listed.length)
  return [
    ...listed.map((schema, index) => part('items', `item ${index + 1}`, of(schema))),
    ...(isObject(rest) ? [part('items', listed.length > 0 ? 'each item after' : 'each item', of(rest))] : []),
  ]
}

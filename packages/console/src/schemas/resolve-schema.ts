import { isObject, type Json, type JsonObject } from './json.js'
import { mergeSchemas } from './merge-schemas.js'
import type { SchemaDocument } from './schema-document.js'

const nothing: JsonObject = { not: {} }

/**
 * Combines everything that a schema says about a value into one object: references, `allOf`, and conditions that apply to the value.
 * Subschemas stay the same objects, so that the document can identify them.
 */
export function resolveSchema(document: SchemaDocument, schema: Json | undefined, value?: Json): JsonObject {
  const parts: JsonObject[] = []
  collect(schema, { document, value, parts, seen: new Set() })
  const [first = {}, ...others] = parts
  return withoutApplied(others.reduce(mergeSchemas, first))
}

/** Removes applied keywords, because a second pass would apply them again, and never end in a recursive schema. */
function withoutApplied(shape: JsonObject): JsonObject {
  const { $ref: _ref, $dynamicRef: _dynamic, allOf: _all, if: _if, then: _then, else: _else, ...rest } = shape
  return rest
}

type Collecting = {
  readonly document: SchemaDocument
  readonly value: Json | undefined
  readonly parts: JsonObject[]
  readonly seen: Set<JsonObject>
}

function collect(schema: Json | undefined, into: Collecting): void {
  if (schema === false) into.parts.push(nothing)
  if (!isObject(schema) || into.seen.has(schema)) return
  into.seen.add(schema)
  into.parts.push(schema)
  for (const part of applying(schema, into)) collect(part, into)
}

function applying(schema: JsonObject, { document, value }: Collecting): (Json | undefined)[] {
  const references = [schema.$ref, schema.$dynamicRef].filter((reference) => typeof reference === 'string')
  const all = Array.isArray(schema.allOf) ? schema.allOf : []
  return [
    ...references.map((reference) => document.resolve(reference)),
    ...all,
    ...conditional(document, schema, value),
    ...beside(schema, value),
  ]
}

function conditional(document: SchemaDocument, schema: JsonObject, value: Json | undefined): (Json | undefined)[] {
  if (schema.if === undefined || value === undefined) return []
  const holds = document.fits(schema.if, value)
  return holds === undefined ? [] : [holds ? schema.then : schema.else]
}

/** Schemas that apply because certain members are present. */
function beside(schema: JsonObject, value: Json | undefined): (Json | undefined)[] {
  if (!isObject(value)) return []
  const rules = [schema.dependentRequired, schema.dependentSchemas, schema.dependencies].filter((rule) => isObject(rule))
  return rules
    .flatMap((rule) => Object.entries(rule))
    .filter(([name]) => Object.hasOwn(value, name))
    .map(([, rule]) => (Array.isArray(rule) ? { required: rule } : rule))
}

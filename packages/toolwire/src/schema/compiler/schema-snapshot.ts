import type { Json } from '../../json.js'
import type { ValidationLimits } from '../limits.js'
import { SchemaError } from '../schema-error.js'

type Place = { readonly source: object; readonly copy: Record<string, unknown> | unknown[]; readonly depth: number }

/** One subschema spends at most a few levels of JSON: its keyword, and a map or list of schemas in it. */
const jsonLevelsPerSchema = 4

/**
 * Copies a schema and measures it on the way, without recursion. The copy cannot change under us, has no prototype
 * (so that `schema.constructor` means what the schema says), and shares no parts, so a part has one place.
 */
export function schemaSnapshot(schema: unknown, limits: ValidationLimits): Json {
  const root: unknown[] = []
  const open: Place[] = [{ source: [schema], copy: root, depth: 0 }]
  let bytes = 0
  for (let place = open.pop(); place; place = open.pop()) {
    if (place.depth > limits.depth * jsonLevelsPerSchema) throw schemaTooDeep(limits)
    for (const [key, value] of Object.entries(place.source)) {
      bytes += key.length + 4
      put(place.copy, key, copyOf(value, place.depth + 1, open))
      if (typeof value === 'string') bytes += value.length
      if (bytes > limits.bytes) throw tooLarge(limits)
    }
  }
  // Everything put in is null, a boolean, a number, a string, or a copy of a list or an object of these.
  return root[0] as Json
}

function copyOf(value: unknown, depth: number, open: Place[]): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || value === undefined) return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (typeof value !== 'object') {
    throw new SchemaError('invalid-schema', `A schema is JSON, but this one contains a ${typeof value}; remove it.`)
  }
  const copy = Array.isArray(value) ? [] : Object.create(null)
  open.push({ source: value, copy, depth })
  return copy
}

function put(target: Record<string, unknown> | unknown[], key: string, value: unknown): void {
  if (Array.isArray(target)) target.push(value)
  else if (value !== undefined) target[key] = value
}

export const schemaTooDeep = ({ depth }: ValidationLimits): SchemaError =>
  new SchemaError('too-deep', `The schema nests deeper than ${depth} levels; flatten it or use $defs and $ref.`)

const tooLarge = ({ bytes }: ValidationLimits): SchemaError =>
  new SchemaError('too-large', `The schema is larger than ${bytes} bytes; make it smaller.`)

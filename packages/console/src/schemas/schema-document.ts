import { percentDecoded } from '../../../toolwire/src/text/percent-decoded.js'
import { fromPointer, isObject, type Json, type JsonObject, ownMember, toPointer } from './json.js'
import { partCheckOf, type SchemaCheck, schemaCheckOf } from './schema-check.js'

/** A whole schema, with the position of each part. */
export type SchemaDocument = {
  readonly root: Json
  /** The validator, or the reason why there is none. */
  readonly check: SchemaCheck | { readonly why: string }
  /** The target of a reference; undefined if it is not in this document. */
  resolve(reference: string): Json | undefined
  /** Does a value match a part of the schema? Undefined for objects that are no part of it. */
  fits(part: Json, value: Json): boolean | undefined
}

const deepest = 64

export function schemaDocumentOf(root: Json): SchemaDocument {
  const parts: Parts = { pointers: new Map(), names: new Map() }
  note(root, [], parts)
  const { pointers, names } = parts
  const checks = new Map<string, SchemaCheck | undefined>()
  let check: SchemaDocument['check'] | undefined
  return {
    root,
    // Lazy, because a view that only shows a schema needs no validator.
    get check() {
      check ??= schemaCheckOf(root)
      return check
    },
    resolve: (reference) => resolved(root, names, reference),
    fits(part, value) {
      if (typeof part === 'boolean') return part
      const pointer = isObject(part) ? pointers.get(part) : undefined
      if (pointer === undefined) return undefined
      if (!checks.has(pointer)) checks.set(pointer, partCheckOf(root, pointer))
      const issues = checks.get(pointer)?.(value)
      return issues && issues.length === 0
    },
  }
}

/** The position of every object in the schema, and objects by anchor or id. */
type Parts = { readonly pointers: Map<JsonObject, string>; readonly names: Map<string, Json> }

function note(value: Json | undefined, path: readonly (string | number)[], parts: Parts): void {
  if (path.length > deepest) return
  if (Array.isArray(value)) for (const [index, item] of value.entries()) note(item, [...path, index], parts)
  if (!isObject(value)) return
  if (!parts.pointers.has(value)) parts.pointers.set(value, toPointer(path))
  for (const anchor of [value.$anchor, value.$dynamicAnchor]) if (typeof anchor === 'string') parts.names.set(`#${anchor}`, value)
  if (typeof value.$id === 'string') parts.names.set(value.$id.replace(/#$/, ''), value)
  for (const [name, member] of Object.entries(value)) note(member, [...path, name], parts)
}

function resolved(root: Json, names: ReadonlyMap<string, Json>, reference: string): Json | undefined {
  const known = names.get(reference)
  if (known !== undefined) return known
  const hash = reference.indexOf('#')
  const address = hash < 0 ? reference : reference.slice(0, hash)
  const from = address === '' ? root : names.get(address)
  const fragment = hash < 0 ? '' : reference.slice(hash + 1)
  // An invalid reference resolves to nothing, and the form then accepts any value.
  const pointer = fromPointer(percentDecoded(fragment) ?? fragment)
  return pointer?.reduce<Json | undefined>(inside, from)
}

function inside(value: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(value)) return value[Number(key)]
  return isObject(value) ? ownMember(value, key) : undefined
}

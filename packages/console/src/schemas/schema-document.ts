import { percentDecoded } from '../../../toolwire/src/text/percent-decoded.js'
import { fromPointer, isObject, type Json, type JsonObject, ownMember, toPointer } from './json.js'
import { partCheckOf, type SchemaCheck, schemaCheckOf } from './schema-check.js'

/** A schema as a whole: its parts know where they stand in it. */
export type SchemaDocument = {
  readonly root: Json
  /** Why a value does not fit; or why that cannot be told here. */
  readonly check: SchemaCheck | { readonly why: string }
  /** What a reference names; undefined when it is nothing in this document. */
  resolve(reference: string): Json | undefined
  /** Whether a value fits a part of the schema; undefined for what is no part of it. */
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
    // Lazy, because views that only read a schema need no validator.
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

/** Every object in the schema by where it is, and those with names by their names. */
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
  // What cannot be read names nothing, and what it stands for is shown as anything.
  const pointer = fromPointer(percentDecoded(fragment) ?? fragment)
  return pointer?.reduce<Json | undefined>(inside, from)
}

function inside(value: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(value)) return value[Number(key)]
  return isObject(value) ? ownMember(value, key) : undefined
}

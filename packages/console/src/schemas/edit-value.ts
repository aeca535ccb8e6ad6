// Changes a value at a path. It copies and never mutates, because a view may still show the old value.
import { isObject, type Json, type JsonObject, ownMember } from './json.js'

/** A position in a value: names of members, and indexes of items. */
export type Path = readonly (string | number)[]

export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  const [first, ...rest] = path
  if (first === undefined) return value
  return valueAt(inside(value, first), rest)
}

function inside(value: Json | undefined, key: string | number): Json | undefined {
  if (Array.isArray(value)) return typeof key === 'number' ? value[key] : undefined
  return isObject(value) ? ownMember(value, key) : undefined
}

/** Sets the value at a path, and creates missing objects on the way. `undefined` removes a member or an item. */
export function withValueAt(value: Json | undefined, path: Path, next: Json | undefined): Json | undefined {
  const [first, ...rest] = path
  if (first === undefined) return next
  const changed = withValueAt(inside(value, first), rest, next)
  if (Array.isArray(value) && typeof first === 'number') return withItem(value, first, changed)
  return withMember(isObject(value) ? value : {}, String(first), changed)
}

function withMember(object: JsonObject, name: string, next: Json | undefined): JsonObject {
  if (next !== undefined) return { ...object, [name]: next }
  return Object.fromEntries(Object.entries(object).filter(([other]) => other !== name))
}

function withItem(list: readonly Json[], index: number, next: Json | undefined): Json[] {
  return next === undefined ? list.toSpliced(index, 1) : index < list.length ? list.with(index, next) : [...list, next]
}

export function withMovedItem(list: readonly Json[], from: number, to: number): Json[] {
  const item = list[from]
  if (item === undefined || to < 0 || to >= list.length) return [...list]
  return list.toSpliced(from, 1).toSpliced(to, 0, item)
}

/** Renames a member and keeps its position; changes nothing if the name is taken. */
export function withRenamedMember(object: JsonObject, name: string, next: string): JsonObject {
  if (name === next || Object.hasOwn(object, next)) return object
  return Object.fromEntries(Object.entries(object).map(([other, value]) => [other === name ? next : other, value]))
}

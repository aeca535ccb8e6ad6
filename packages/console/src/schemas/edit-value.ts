// Changes a value at a path. It copies and never mutates, because a view may still show the old value.
import { isObject, type Json, type JsonObject, ownMember } from './json.js'

/** Where in a value: names of members, and indexes of items. */
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

/** With another value there; objects on the way are made where there is nothing. `undefined` takes a member or an item out. */
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

/** With an item at another index of the same list. */
export function withMovedItem(list: readonly Json[], from: number, to: number): Json[] {
  const item = list[from]
  if (item === undefined || to < 0 || to >= list.length) return [...list]
  return list.toSpliced(from, 1).toSpliced(to, 0, item)
}

/** With another name for a member, at the same place among the others; a name that is taken already changes nothing. */
export function withRenamedMember(object: JsonObject, name: string, next: string): JsonObject {
  if (name === next || Object.hasOwn(object, next)) return object
  return Object.fromEntries(Object.entries(object).map(([other, value]) => [other === name ? next : other, value]))
}

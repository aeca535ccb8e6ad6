import type { Json, JsonObject } from '../../api/types.js'

export type ArgumentChange = {
  readonly name: string
  readonly kind: 'added' | 'removed' | 'changed'
  readonly before: Json
  readonly after: Json
}

/** The arguments that differ; removed ones come last. */
export function argumentChanges(before: JsonObject, after: JsonObject): readonly ArgumentChange[] {
  const names = new Set([...Object.keys(after), ...Object.keys(before)])
  return [...names].flatMap((name) => changeOf(name, before, after))
}

function changeOf(name: string, before: JsonObject, after: JsonObject): readonly ArgumentChange[] {
  const [was, is] = [own(before, name), own(after, name)]
  if (is === undefined) return [{ name, kind: 'removed', before: was ?? null, after: '' }]
  if (was === undefined) return [{ name, kind: 'added', before: '', after: is }]
  return isSameJson(was, is) ? [] : [{ name, kind: 'changed', before: was, after: is }]
}

const own = (object: JsonObject, name: string): Json | undefined => (Object.hasOwn(object, name) ? object[name] : undefined)

/** Compares values; the order of members does not matter. */
export function isSameJson(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [mine, theirs] = [Object.entries(one), Object.entries(other)]
  if (mine.length !== theirs.length) return false
  return mine.every(([name, value]) => Object.hasOwn(other, name) && isSameJson(value, (other as JsonObject)[name]))
}

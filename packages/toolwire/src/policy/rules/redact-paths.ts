import { isObject, type Json, type JsonObject } from '../../json.js'
import { fromPointer } from '../../schema/pointer.js'
import { foldName } from '../../text/folded-text.js'

const redactedMark = '[redacted]'

/** A copy of the arguments with the named values redacted; `*` in a path stands for any member. */
export function withoutPaths(args: JsonObject, paths: readonly string[]): JsonObject {
  let copy = args
  for (const path of paths) {
    const segments = path.startsWith('/') ? fromPointer(path) : [path]
    if (segments === undefined) return redactAll(args)
    copy = without(copy, segments) as JsonObject // an object stays one
  }
  return copy
}

/** Redacts everything, if it is unknown which arguments may be shown. */
export const redactAll = (args: JsonObject): JsonObject =>
  Object.fromEntries(Object.keys(args).map((name) => [name, redactedMark]))

function without(value: Json | undefined, [segment, ...rest]: readonly string[]): Json | undefined {
  if (segment === undefined) return value === undefined ? undefined : redactedMark
  if (Array.isArray(value))
    return value.map((item, index) => (concerns(segment, String(index)) ? (without(item, rest) ?? null) : item))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, concerns(segment, name) ? without(member, rest) : member]),
  )
}

/** A secret under one name is also a secret under a name that looks like it. */
const concerns = (segment: string, name: string): boolean => segment === '*' || foldName(segment) === foldName(name)

import { isObject, type Json, type JsonObject } from '../../json.js'
import { visible } from '../../text/visible.js'
import type { Advice } from '../scan/advice.js'

/** One place where two definitions differ, as JSON text in which hidden characters are written as \u{…}. */
export type DefinitionChange = { readonly path: string; readonly before: string | undefined; readonly after: string | undefined }

/** A tool whose definition is not the one that was accepted; `before` is undefined where none has been. */
export type Drift = {
  readonly server: string | undefined
  /** Which server it is now, if that is known: what to accept, too. */
  readonly serverIdentity?: string
  /** Another server than this one, under the same name, was accepted. */
  readonly anotherServer?: { readonly accepted: string | undefined }
  readonly tool: string
  readonly before: JsonObject | undefined
  readonly after: JsonObject
  /** Of the definition as it is now: what to accept. */
  readonly hash: string
  readonly changes: readonly DefinitionChange[]
  /** What the scan of the definition found, if one was asked for. */
  readonly advice: readonly Advice[]
}

/** All differences, by JSON pointer. */
export function changesBetween(before: Json | undefined, after: Json | undefined, path = ''): DefinitionChange[] {
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...names].flatMap((name) => changesBetween(own(before, name), own(after, name), `${path}/${pointerToken(name)}`))
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length)
    return Array.from({ length }, (_, at) => changesBetween(before[at], after[at], `${path}/${at}`)).flat()
  }
  if (before === after) return []
  return [{ path, before: written(before), after: written(after) }]
}

const own = (object: { [name: string]: Json | undefined }, name: string) =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** A name as part of a JSON pointer, with hidden characters written as \u{…}. */
export const pointerToken = (name: string): string => visible(name.replaceAll('~', '~0').replaceAll('/', '~1'))
const written = (value: Json | undefined) => (value === undefined ? undefined : visible(JSON.stringify(value)))

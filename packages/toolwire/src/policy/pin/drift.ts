import { isObject, type Json, type JsonObject } from '../../json.js'
import { visible } from '../../text/visible.js'
import type { Advice } from '../scan/advice.js'

/** One difference between two definitions, as JSON text with hidden characters written as \u{…}. */
export type DefinitionChange = { readonly path: string; readonly before: string | undefined; readonly after: string | undefined }

/** A tool whose definition is not the accepted one; `before` is undefined if none was accepted. */
export type Drift = {
  readonly server: string | undefined
  /** Identity of the current server, if it is known. `accept` takes it. */
  readonly serverIdentity?: string
  /** Set if the accepted definition is another server's, under the same name. */
  readonly anotherServer?: { readonly accepted: string | undefined }
  readonly tool: string
  readonly before: JsonObject | undefined
  readonly after: JsonObject
  /** Hash of the current definition. `accept` takes it. */
  readonly hash: string
  readonly changes: readonly DefinitionChange[]
  /** Findings of the scan, if one was requested. */
  readonly advice: readonly Advice[]
}

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

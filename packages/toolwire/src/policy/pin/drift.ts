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

/** A part with more changes than this counts as one change, because a list of them helps nobody and takes much memory. */
const mostChanges = 1_000
/** The same holds for the length of their paths, because a long name is in the paths of all members below it. */
const longestPaths = 65_536

export const changesBetween = (before: Json | undefined, after: Json | undefined): DefinitionChange[] =>
  differencesIn({ path: '', before, after }).map(({ path, before, after }) => ({
    path,
    before: written(before),
    after: written(after),
  }))

type Part = { readonly path: string; readonly before: Json | undefined; readonly after: Json | undefined }

function differencesIn(whole: Part): Part[] {
  const { before, after } = whole
  if (before === after) return []
  const areAlike = (isObject(before) && isObject(after)) || (Array.isArray(before) && Array.isArray(after))
  if (!areAlike) return [whole]
  const found: Part[] = []
  let pathsLength = 0
  for (const part of partsOf(whole)) {
    const inside = differencesIn(part)
    for (const { path } of inside) pathsLength += path.length
    found.push(...inside)
    if (found.length > mostChanges || pathsLength > longestPaths) return [whole]
  }
  return found
}

/** The members or elements that may differ. */
function* partsOf(whole: Part): Generator<Part> {
  const { path, before, after } = whole
  if (isObject(before) && isObject(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const [one, other] = [own(before, name), own(after, name)]
      if (one !== other) yield { path: `${path}/${pointerToken(name)}`, before: one, after: other }
    }
  } else if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length)
    for (let at = 0; at < length; at++)
      if (before[at] !== after[at]) yield { path: `${path}/${at}`, before: before[at], after: after[at] }
  }
}

const own = (object: { [name: string]: Json | undefined }, name: string) =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** A name as part of a JSON pointer, with hidden characters written as \u{…}. */
export const pointerToken = (name: string): string => visible(name.replaceAll('~', '~0').replaceAll('/', '~1'))
const written = (value: Json | undefined) => (value === undefined ? undefined : visible(JSON.stringify(value)))

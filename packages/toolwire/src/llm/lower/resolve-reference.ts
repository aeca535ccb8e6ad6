import { isObject, type Json, type JsonObject } from '../../json.js'
import { fromPointer } from '../../schema/pointer.js'
import { percentDecoded } from '../../text/percent-decoded.js'

export type ReferenceResolver = (reference: string) => Json | undefined

/**
 * Returns a function that resolves a `$ref` within the document. Other references give undefined, because nothing is ever fetched.
 * `mayVisit` is asked before each value that a search for names visits, and ends the search.
 */
export function referenceResolver(document: JsonObject, mayVisit: () => boolean = () => true): ReferenceResolver {
  let named: ReadonlyMap<string, JsonObject> | undefined
  return (reference) => {
    const path = reference.startsWith('#') ? fromPointer(unescaped(reference.slice(1))) : undefined
    if (path) return path.reduce<Json | undefined>(step, document)
    named ??= namesIn(document, mayVisit)
    return named.get(reference)
  }
}

function unescaped(fragment: string): string {
  // A lone % is not an escape, and neither are bytes that are not UTF-8, so they stay as they are.
  return fragment.replaceAll(/(?:%[0-9A-Fa-f]{2})+/g, (escaped) => percentDecoded(escaped) ?? escaped)
}

function step(value: Json | undefined, name: string): Json | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** Collects all schemas with an `$id` or an anchor, by their references. It does not recurse, so depth does not matter. */
function namesIn(document: JsonObject, mayVisit: () => boolean): Map<string, JsonObject> {
  const named = new Map<string, JsonObject>()
  const open: Json[] = [document]
  for (let next = open.pop(); next !== undefined && mayVisit(); next = open.pop()) {
    // Draft-07 writes an anchor as an $id that begins with #.
    if (isObject(next) && typeof next.$id === 'string') named.set(next.$id, next)
    if (isObject(next) && typeof next.$anchor === 'string') named.set(`#${next.$anchor}`, next)
    if (typeof next === 'object' && next !== null) for (const part of Object.values(next)) if (part !== undefined) open.push(part)
  }
  return named
}

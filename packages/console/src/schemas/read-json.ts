import { type Json, JsonError, parseJson } from './json.js'

/** What a text says as JSON, or why it says nothing. */
export type ReadJson = { readonly value: Json } | { readonly why: string }

/** Reads JSON as the gateway will: what two readers could understand differently is refused. */
export function readJson(text: string): ReadJson {
  if (text.trim() === '') return { why: 'The text is empty. Write {} for no arguments.' }
  try {
    return { value: parseJson(text) }
  } catch (thrown) {
    return { why: (thrown instanceof JsonError && whyOf(thrown)) || `This is not JSON: ${faultIn(text) ?? String(thrown)}` }
  }
}

function whyOf({ code, at }: JsonError): string | undefined {
  if (code === 'duplicate') return 'An object has the same name twice.'
  return code === 'number' ? `The number at ${at ?? 'some place'} has too many digits for JSON.` : undefined
}

/** In the engine's own words, which quote the text. */
function faultIn(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : undefined
  }
}

/** The text for a value: what was typed as long as it says the same, because nobody wants it laid out anew while typing. */
export function textFor(value: Json, typed: string | undefined): string {
  if (typed !== undefined) {
    const read = readJson(typed)
    if ('why' in read || sameJson(read.value, value)) return typed
  }
  return JSON.stringify(value, null, 2)
}

/** Equal as JSON says it, members in the same order: then both give the same text. */
export const sameJson = (one: Json | undefined, other: Json | undefined): boolean => JSON.stringify(one) === JSON.stringify(other)

import { type Json, JsonError, parseJson } from './json.js'

export type ReadJson = { readonly value: Json } | { readonly why: string }

/** Parses JSON like the gateway, which refuses ambiguous text. */
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

/** The message of the JavaScript engine, which quotes the text. */
function faultIn(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : undefined
  }
}

/** The text for a value: the typed text if it has this value, because reformatting would disturb typing. */
export function textFor(value: Json, typed: string | undefined): string {
  if (typed !== undefined) {
    const read = readJson(typed)
    if ('why' in read || sameJson(read.value, value)) return typed
  }
  return JSON.stringify(value, null, 2)
}

/** Equal as JSON text, so the order of members matters. */
export const sameJson = (one: Json | undefined, other: Json | undefined): boolean => JSON.stringify(one) === JSON.stringify(other)

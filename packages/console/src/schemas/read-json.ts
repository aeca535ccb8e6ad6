import { type Json, scan, survey } from './json.js'

/** What a text says as JSON, or why it says nothing; `inexact` where a number has more digits than the page can hold. */
export type ReadJson = { readonly value: Json; readonly inexact: boolean } | { readonly why: string }

const limits = { depth: 64, members: 10_000, elements: 1_000_000, containers: 100_000 }

/** Reads JSON as the gateway will: what two readers could understand differently is refused. */
export function readJson(text: string): ReadJson {
  if (text.trim() === '') return { why: 'There is nothing here yet: write {} for no arguments.' }
  try {
    const keys = scan(text, limits)
    const value: Json = JSON.parse(text)
    const found = survey(value)
    // The engine keeps the last of equal keys: then the value has fewer than the text.
    return found.keys === keys ? { value, inexact: found.hasLargeNumber } : { why: 'The same name stands twice in an object.' }
  } catch (thrown) {
    return { why: `This is not JSON: ${thrown instanceof Error ? thrown.message : 'it cannot be read'}` }
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

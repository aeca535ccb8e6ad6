import type { Json } from 'toolwire'

/** Parses a text as JSON; undefined if it is not valid. */
export function jsonIn(text: string): Json | undefined {
  try {
    // JSON.parse returns only JSON values.
    return JSON.parse(text) as Json
  } catch {
    return undefined // the caller reports it
  }
}

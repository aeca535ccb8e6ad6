import type { JsonObject } from 'toolwire'
import { schemas } from 'toolwire/relay'

/** A parsed text, with the line of the value at each JSON pointer. */
export type Document = { readonly value: JsonObject; readonly lineOf: (pointer: string) => number | undefined }

/** Limits on the size of a file and the nesting of its values. */
export const documentLimits = { bytes: 4 * 1024 * 1024, depth: 64 } as const

/** RFC 6901 */
export const jsonPointer = (...segments: readonly (string | number)[]): string => schemas.toPointer(segments)

export const pointerSegments = (at: string): string[] => schemas.fromPointer(at) ?? []

/** The line at an offset, counted from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}

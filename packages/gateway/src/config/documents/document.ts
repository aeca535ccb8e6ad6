import type { JsonObject } from 'toolwire'

/** A parsed text, with the line of the value at each JSON pointer. */
export type Document = { readonly value: JsonObject; readonly lineOf: (pointer: string) => number | undefined }

/** Limits on the size of a file and the nesting of its values. */
export const documentLimits = { bytes: 4 * 1024 * 1024, depth: 64 } as const

/** RFC 6901 */
export const jsonPointer = (...segments: readonly (string | number)[]): string =>
  segments.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

export const pointerSegments = (at: string): string[] =>
  at
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))

/** The line of a place, or of the nearest enclosing value with a known line. */
export function nearestLine({ lineOf }: Pick<Document, 'lineOf'>, at: string): number | undefined {
  for (let place = at; place !== ''; place = place.slice(0, place.lastIndexOf('/'))) {
    const line = lineOf(place)
    if (line !== undefined) return line
  }
  return lineOf('')
}

/** The line at an offset, counted from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}

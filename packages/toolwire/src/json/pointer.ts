/** Writes the segments of a path as a JSON pointer. spec: RFC 6901 */
export const toPointer = (segments: readonly (string | number)[]): string =>
  segments.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** The line of a place. A missing value has none, so the line of the nearest value around it is used. */
export function nearestLine(at: string, lineOf: (pointer: string) => number | undefined): number | undefined {
  for (let place = at; place !== ''; place = place.slice(0, place.lastIndexOf('/'))) {
    const line = lineOf(place)
    if (line !== undefined) return line
  }
  return lineOf('')
}

/** Writes the segments of a path as a JSON pointer. spec: RFC 6901 */
export const toPointer = (segments: readonly (string | number)[]): string =>
  segments.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

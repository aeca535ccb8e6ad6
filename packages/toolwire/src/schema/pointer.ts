export { toPointer } from '../json/pointer.js'

/** Reads a JSON pointer; undefined when the text is not one. */
export function fromPointer(pointer: string): string[] | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/')) return undefined
  const segments = pointer.slice(1).split('/')
  return segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}

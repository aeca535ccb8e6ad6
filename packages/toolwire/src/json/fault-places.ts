// Where a text is wrong that has been found to be: looked for once it is known, so that no other text takes the time.
import { toPointer } from './pointer.js'
import { segmentsOf, walkText } from './walk-text.js'

/** A key that stands in its object a second time: of the outermost ones the first. */
export function duplicateIn(text: string): string | undefined {
  let found: string | undefined
  let depth = Number.POSITIVE_INFINITY
  const keys: Set<string>[] = []
  walkText(text, (kind, start, end, path) => {
    if (kind === 'object') keys[path.length] = new Set()
    if (kind !== 'key') return
    const known = keys[path.length - 1]
    const key = JSON.parse(text.slice(start, end)) as string // a key is a string
    if (known?.has(key) && path.length < depth) {
      found = toPointer(segmentsOf(path))
      depth = path.length
    }
    known?.add(key)
  })
  return found
}

/** The first string with half of a surrogate pair in it. */
export function loneSurrogateIn(text: string): string | undefined {
  let found: string | undefined
  walkText(text, (kind, start, end, path) => {
    if (found !== undefined || (kind !== 'key' && kind !== 'string')) return
    const string = JSON.parse(text.slice(start, end)) as string // as said
    if (!string.isWellFormed()) found = toPointer(segmentsOf(path))
  })
  return found
}

const piece = 4_096

/** The first byte that cannot stand where it stands; the length, where the last character is cut off. */
export function invalidByte(bytes: Uint8Array): number {
  const near = firstRefused(bytes, 0, piece)
  let start = near
  while (start > 0 && isContinuation(bytes[start])) start--
  return firstRefused(bytes, start, 1)
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** Where the piece begins at which a decoder stops. */
function firstRefused(bytes: Uint8Array, from: number, step: number): number {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let at = from
  try {
    for (; at < bytes.length; at += step) decoder.decode(bytes.subarray(at, at + step), { stream: true })
    return bytes.length
  } catch {
    return at
  }
}

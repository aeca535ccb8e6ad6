// Locates the fault in a text that is known to be faulty, so that valid texts cost no time.
import { toPointer } from './pointer.js'
import { walkText } from './walk-text.js'

/** Pointer to the first key that repeats in its object; outer objects come before inner ones. */
export function duplicateIn(text: string): string | undefined {
  let found: string | undefined
  let depth = Number.POSITIVE_INFINITY
  const keys: Set<string>[] = []
  walkText(text, (kind, _start, _end, path) => {
    if (kind === 'object') keys[path.length] = new Set()
    if (kind !== 'key') return
    const known = keys[path.length - 1]
    const key = path[path.length - 1] as string // the last segment of a key's path
    if (known?.has(key) && path.length < depth) {
      found = toPointer(path)
      depth = path.length
    }
    known?.add(key)
  })
  return found
}

/** Pointer to the first string that contains half of a surrogate pair. */
export function loneSurrogateIn(text: string): string | undefined {
  let found: string | undefined
  walkText(text, (kind, start, end, path) => {
    if (found !== undefined || (kind !== 'key' && kind !== 'string')) return
    const string = JSON.parse(text.slice(start, end)) as string // keys and strings only
    if (!string.isWellFormed()) found = toPointer(path)
  })
  return found
}

const piece = 4_096

/** Index of the first invalid byte, or the length if the last character is cut off. */
export function invalidByte(bytes: Uint8Array): number {
  const near = firstRefused(bytes, 0, piece)
  let start = near
  while (start > 0 && isContinuation(bytes[start])) start--
  return firstRefused(bytes, start, 1)
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** Start of the first piece that the decoder refuses, or the length if there is none. */
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

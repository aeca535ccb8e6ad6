import type { Steps } from '../../bounds/steps.js'

/** Number of code units to remove from this index on; 0 keeps the one at the index. */
export type MatchLength = (text: string, at: number) => number

const stepLength = 65_536

/** The text without the matches. Takes one pass and one buffer, because every second character may match. */
export function* removeMatches(text: string, hit: MatchLength): Steps<string> {
  const kept = new Uint16Array(text.length)
  let size = 0
  for (let at = 0, next = stepLength; at < text.length; ) {
    if (at >= next) {
      yield
      next = at + stepLength
    }
    const hits = hit(text, at)
    if (hits > 0) at += hits
    else kept[size++] = text.charCodeAt(at++)
  }
  if (size === text.length) return text
  const units = kept.subarray(0, size)
  // The decoder would replace halves of surrogate pairs.
  return native && text.isWellFormed() ? native.decode(units) : decoded(units)
}

/** The text without the matches of a global pattern, each of which is one character that counts alone. */
export function* removeCharacters(text: string, pattern: RegExp): Steps<string> {
  if (text.search(pattern) < 0) return text
  let kept = ''
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = from + stepLength
    if (isHighSurrogate(text.charCodeAt(to - 1))) to++
    kept += text.slice(from, to).replace(pattern, '')
    yield
  }
  return kept
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00

const native = nativeDecoder()

/** Decodes UTF-16 many times faster, where the machine stores it as the decoder reads it. */
function nativeDecoder(): TextDecoder | undefined {
  const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1
  try {
    return isLittleEndian ? new TextDecoder('utf-16le', { ignoreBOM: true }) : undefined
  } catch {
    return undefined // the runtime has no such decoder
  }
}

const chunk = 8_192

function decoded(units: Uint16Array): string {
  let text = ''
  for (let at = 0; at < units.length; at += chunk) text += String.fromCharCode(...units.subarray(at, at + chunk))
  return text
}

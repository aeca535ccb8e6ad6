/** Number of code units to remove from this index on; 0 keeps the one at the index. */
export type MatchLength = (text: string, at: number) => number

/** The text without the matches. It takes one pass and one buffer, because every second character may match. */
export function removeMatches(text: string, hit: MatchLength): string {
  const kept = new Uint16Array(text.length)
  let size = 0
  for (let at = 0; at < text.length; ) {
    const hits = hit(text, at)
    if (hits > 0) at += hits
    else kept[size++] = text.charCodeAt(at++)
  }
  if (size === text.length) return text
  const units = kept.subarray(0, size)
  // The decoder would replace halves of surrogate pairs.
  return native && text.isWellFormed() ? native.decode(units) : decoded(units)
}

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

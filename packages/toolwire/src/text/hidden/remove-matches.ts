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
  return size === text.length ? text : decoded(kept.subarray(0, size))
}

const chunk = 8_192

function decoded(units: Uint16Array): string {
  let text = ''
  for (let at = 0; at < units.length; at += chunk) text += String.fromCharCode(...units.subarray(at, at + chunk))
  return text
}

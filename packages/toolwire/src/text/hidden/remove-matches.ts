/** How many code units from here on are to go; 0 keeps the one that is here. */
export type MatchLength = (text: string, at: number) => number

/** The text without what is hit. One pass and one buffer, because text may be hit at every second character. */
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

const mostLines = 16
const mostCharacters = 1_000

/** Splits a text into blocks that fit on a screen, so that each can be tracked. Joined together they are the text. */
export function textBlocks(text: string): readonly string[] {
  const blocks: string[] = []
  let from = 0
  while (from < text.length) {
    const to = endOf(text, from)
    blocks.push(text.slice(from, to))
    from = to
  }
  return blocks
}

function endOf(text: string, from: number): number {
  let to = from
  for (let lines = 0; lines < mostLines; lines++) {
    const end = text.indexOf('\n', to)
    const next = end < 0 ? text.length : end + 1
    if (next - from > mostCharacters) return to > from ? to : between(text, from + mostCharacters)
    to = next
    if (end < 0) break
  }
  return to
}

/** Avoids a cut inside a surrogate pair, which is one character. */
const between = (text: string, at: number): number =>
  isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at)) ? at + 1 : at
const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

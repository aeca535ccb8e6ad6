// Formatting that reorders what is shown. Letters of Arabic or Hebrew order themselves and need none of it.
import { type MatchLength, removeMatches } from './remove-matches.js'

const formatting = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/
const rightToLeft = /[\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Takes out embeddings, overrides and isolates; a single mark stays where text runs from right to left. */
export function withoutBidiFormatting(text: string): string {
  if (!formatting.test(text)) return text
  const plain = removeMatches(text, reorders)
  return removeMatches(plain, rightToLeft.test(plain) ? isRepeatedMark : isMark)
}

const reorders: MatchLength = (text, at) => {
  const unit = text.charCodeAt(at)
  return unit >= 0x202a && unit <= 0x2069 && (unit <= 0x202e || unit >= 0x2066) ? 1 : 0
}

const isMark: MatchLength = (text, at) => {
  const unit = text.charCodeAt(at)
  return unit === 0x200e || unit === 0x200f || unit === 0x061c ? 1 : 0
}

const isRepeatedMark: MatchLength = (text, at) => (isMark(text, at) && at > 0 && isMark(text, at - 1) ? 1 : 0)

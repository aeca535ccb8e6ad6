// Characters that are shown as nothing. Text for the model can be hidden in them, one byte for each.
import { isFlagTag, isNeededJoiner, isNeededSelector } from './needed-invisibles.js'
import { type MatchLength, removeMatches } from './remove-matches.js'

const suspect = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u

/** Takes out what is invisible, except where a script or an emoji needs it. */
export function withoutInvisibleCharacters(text: string): string {
  if (!suspect.test(text)) return text
  // What is never needed goes first, so that it comes between nothing and its neighbours any more.
  return removeMatches(removeMatches(text, isNeverNeeded), isOutOfPlace)
}

const isNeverNeeded: MatchLength = (text, at) => {
  const unit = text.charCodeAt(at)
  if (unit < 0x80) return 0
  if (unit >= 0xd800 && unit <= 0xdbff) return astral(text.codePointAt(at) ?? 0) ? 2 : 0
  return neverNeeded.has(unit) ? 1 : 0
}

const neverNeeded = new Set([
  ...[0x00ad, 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x200b, 0x3164, 0xfeff, 0xffa0],
  ...range(0x2060, 0x2065),
  ...range(0x206a, 0x206f),
  ...range(0xfff0, 0xfffb),
])

const astral = (point: number) =>
  (point >= 0x1bca0 && point <= 0x1bca3) ||
  (point >= 0x1d173 && point <= 0x1d17a) ||
  // Tags and variation selectors may be needed.
  (point >= 0xe0080 && point <= 0xe0fff && !(point >= 0xe0100 && point <= 0xe01ef)) ||
  (point >= 0xe0000 && point <= 0xe001f)

const isOutOfPlace: MatchLength = (text, at) => {
  const unit = text.charCodeAt(at)
  if (unit < 0x180b) return 0
  if (unit === 0x200c || unit === 0x200d) return isNeededJoiner(text, at) ? 0 : 1
  if ((unit >= 0xfe00 && unit <= 0xfe0f) || (unit >= 0x180b && unit <= 0x180f)) return isNeededSelector(text, at) ? 0 : 1
  if (unit !== 0xdb40) return 0
  const isTag = text.charCodeAt(at + 1) < 0xdd00
  return (isTag ? isFlagTag(text, at) : isNeededSelector(text, at)) ? 0 : 2
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at)
}

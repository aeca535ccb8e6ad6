// Invisible characters. Text for the model can be hidden in them, one byte in each.
import { finish, type Steps } from '../../bounds/steps.js'
import { isFlagTag, isNeededJoiner, isNeededSelector } from './needed-invisibles.js'
import { type MatchLength, removeCharacters, removeMatches } from './remove-matches.js'

const neverNeeded = /[\u034f\u00ad\u115f\u1160\u17b4\u17b5\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]/g
const neverNeededPairs = /[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e001f}\u{e0080}-\u{e00ff}\u{e01f0}-\u{e0fff}]/gu

/** Removes invisible characters, except where a script or an emoji needs them. */
export const withoutInvisibleCharacters = (text: string): string => finish(invisibleSteps(text))

export function* invisibleSteps(text: string): Steps<string> {
  // Characters that are never needed go first, so that they no longer separate the others from their neighbours.
  const plain = yield* removeCharacters(yield* removeCharacters(text, neverNeeded), neverNeededPairs)
  yield
  return suspect.test(plain) ? yield* removeMatches(plain, isOutOfPlace) : plain
}

const suspect = /\p{Default_Ignorable_Code_Point}/u

const isOutOfPlace: MatchLength = (text, at) => {
  const unit = text.charCodeAt(at)
  if (unit < 0x180b) return 0
  if (unit === 0x200c || unit === 0x200d) return isNeededJoiner(text, at) ? 0 : 1
  if ((unit >= 0xfe00 && unit <= 0xfe0f) || (unit >= 0x180b && unit <= 0x180f)) return isNeededSelector(text, at) ? 0 : 1
  if (unit !== 0xdb40) return 0
  const isTag = text.charCodeAt(at + 1) < 0xdd00
  return (isTag ? isFlagTag(text, at) : isNeededSelector(text, at)) ? 0 : 2
}

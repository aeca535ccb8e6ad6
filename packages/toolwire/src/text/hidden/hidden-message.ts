// Finds messages written in invisible characters. Text copied from a page may have a few such characters; a message has more.
const tag = /[\u{e0000}-\u{e007f}]/u
const selector = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u
const letter = /[a-z]/i
/** Fewest selectors that count as a message. Zero-width characters spell bits, so one letter takes eight of them. */
const leastSelectors = 3
const leastInARow = 8
const leastOfTwoKinds = 16
const leastApart = 4

type Taken = { readonly at: number; readonly character: string }

/** Index where the message begins, or -1 if there is none. `left` is the text without the invisible characters. */
export function findHiddenMessage(text: string, left: string): number {
  if (text === left) return -1
  const taken = removedCharacters(text, left)
  const [first] = taken
  const tagged = taken.find(({ character }) => tag.test(character))
  if (tagged) return tagged.at
  const isSaid =
    taken.filter(({ character }) => selector.test(character)).length >= leastSelectors ||
    longestRun(taken, isNext) >= leastInARow ||
    longestRun(
      taken.filter(({ at }) => letter.test(text[at - 1] ?? '') && letter.test(text[at + 1] ?? '')),
      (one, other) => other.at === one.at + 2,
    ) >= leastApart ||
    (taken.length >= leastOfTwoKinds && new Set(taken.map(({ character }) => character)).size > 1)
  return isSaid && first ? first.at : -1
}

function removedCharacters(text: string, left: string): Taken[] {
  const taken: Taken[] = []
  let kept = 0
  for (let at = 0; at < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
    if (left.startsWith(character, kept)) kept += character.length
    else taken.push({ at, character })
    at += character.length
  }
  return taken
}

const isNext = (one: Taken, other: Taken): boolean => other.at === one.at + one.character.length

function longestRun(taken: readonly Taken[], isFollowedBy: (one: Taken, other: Taken) => boolean): number {
  let longest = 0
  let run = 0
  let before: Taken | undefined
  for (const one of taken) {
    run = before && isFollowedBy(before, one) ? run + 1 : 1
    longest = Math.max(longest, run)
    before = one
  }
  return longest
}

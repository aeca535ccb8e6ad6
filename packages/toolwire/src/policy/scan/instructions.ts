import type { Find } from './advice.js'
import { type Folded, folded, lettersOf } from './folded.js'
import { marks, markWhy, phrases } from './phrases.js'

type Slot = { readonly words: readonly string[]; readonly most: number; readonly optional: boolean }

const mostFillers = 4
const table = phrases.map(([why, ...parts]) => ({ why, slots: parts.map(slotOf) }))

/** What may be meant for the model, however it is spelled. */
export function instructionsIn(plain: Folded, letters: Folded): Find | undefined {
  const begins = (at: number) => beginsWord(plain.text, letters.at[at] ?? 0)
  for (const { why, slots } of table) {
    const at = phraseAt(letters.text, slots, begins)
    if (at >= 0) return { kind: 'instructions', at: plain.at[letters.at[at] ?? 0] ?? 0, why }
  }
  const mark = marks.map((one) => plain.text.indexOf(one)).find((at) => at >= 0)
  return mark === undefined ? undefined : { kind: 'instructions', at: plain.at[mark] ?? 0, why: markWhy }
}

function phraseAt(text: string, [first, ...rest]: readonly Slot[], begins: (at: number) => boolean): number {
  for (const word of first?.words ?? []) {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
      if (begins(at) && follows(text, at + word.length, rest)) return at
    }
  }
  return -1
}

/** Without going back, so that no text makes it slow. */
function follows(text: string, from: number, slots: readonly Slot[]): boolean {
  let at = from
  for (const { words, most, optional } of slots) {
    for (let times = 0; times < most; times++) {
      const word = words.find((one) => text.startsWith(one, at))
      if (word === undefined && !optional) return false
      at += word?.length ?? 0
    }
  }
  return true
}

const wordLetter = /[\p{L}\p{N}]/u
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u

/** "ignore" in "impact assessment" or "act" in "fact" is no word; scripts without spaces do not show where one begins. */
export function beginsWord(text: string, at: number): boolean {
  return at === 0 || !wordLetter.test(text[at - 1] ?? '') || unspaced.test(text[at] ?? '')
}

function slotOf(part: string): Slot {
  const optional = part.startsWith('[')
  const words = (optional ? part.slice(1, -1) : part).split('|').map((word) => lettersOf(folded(word)).text)
  // The longest first: what begins with a shorter word is not lost.
  return { optional, most: optional ? mostFillers : 1, words: words.sort((one, other) => other.length - one.length) }
}

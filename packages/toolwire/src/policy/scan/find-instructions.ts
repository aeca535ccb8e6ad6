import { type FoldedText, foldText, lettersOnly } from '../../text/folded-text.js'
import type { ScanFinding } from './advice.js'
import { promptMarkWhy, strongMarks, strongPhrases, weakMarks, weakPhrases } from './instruction-phrases.js'

type Slot = { readonly words: readonly string[]; readonly most: number; readonly kind: 'needed' | 'optional' | 'unwanted' }
type Phrase = { readonly why: string; readonly slots: readonly Slot[] }

const mostFillers = 4
const strong = strongPhrases.map(readPhrase)
const weak = weakPhrases.map(readPhrase)

/** What may be meant for the model, however it is spelled: what is said by few who are honest, if there is such, or else anything. */
export function findInstructions(plain: FoldedText, letters: FoldedText): ScanFinding | undefined {
  return (
    findIn(plain, letters, { phrases: strong, marks: strongMarks, holds: true }) ??
    findIn(plain, letters, { phrases: weak, marks: weakMarks, holds: false })
  )
}

type Search = { readonly phrases: readonly Phrase[]; readonly marks: readonly string[]; readonly holds: boolean }

function findIn(plain: FoldedText, letters: FoldedText, { phrases, marks, holds }: Search): ScanFinding | undefined {
  const begins = (at: number) => beginsWord(plain.text, letters.at[at] ?? 0)
  for (const { why, slots } of phrases) {
    const at = phraseAt(letters.text, slots, begins)
    if (at >= 0) return { kind: 'instructions', at: plain.at[letters.at[at] ?? 0] ?? 0, why, holds }
  }
  const mark = marks.map((one) => plain.text.indexOf(one)).find((at) => at >= 0)
  return mark === undefined ? undefined : { kind: 'instructions', at: plain.at[mark] ?? 0, why: promptMarkWhy, holds }
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
  for (const { words, most, kind } of slots) {
    for (let times = 0; times < most; times++) {
      const word = words.find((one) => text.startsWith(one, at))
      if ((word === undefined) === (kind === 'needed') && kind !== 'optional') return false
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

function readPhrase([why, ...parts]: (typeof strongPhrases)[number]): Phrase {
  return { why, slots: parts.map(phraseSlot) }
}

function phraseSlot(part: string): Slot {
  const kind = part.startsWith('[') ? 'optional' : part.startsWith('!') ? 'unwanted' : 'needed'
  const inner = kind === 'optional' ? part.slice(1, -1) : kind === 'unwanted' ? part.slice(1) : part
  const words = inner.split('|').map((word) => lettersOnly(foldText(word)).text)
  // The longest first: what begins with a shorter word is not lost.
  return { kind, most: kind === 'optional' ? mostFillers : 1, words: words.sort((one, other) => other.length - one.length) }
}

// Finds sentences that speak to a model: in definitions by their letters, in results by anchored patterns. The findings are advice, because
// a sentence can always be worded differently.
import { comparableName, type FoldedText } from '../folded-text.js'
import type { PassageKind } from '../search/anchor-scan.js'
import { type Phrases, promptMarkWhy, resultPhrases, resultTags, strongSigns, weakSigns } from './phrases.js'

const mostFillers = 4

/** A place where a definition speaks to the model. `holds` is true if few honest definitions contain such text. */
type InstructionFinding = { readonly kind: 'instructions'; readonly at: number; readonly why: string; readonly holds: boolean }

/** Finds instructions for the model in any spelling: strong signs first, which few honest definitions contain, then weak ones. */
export function findInstructions(plain: FoldedText, letters: FoldedText): InstructionFinding | undefined {
  const begins = (at: number) => beginsWord(plain.text, letters.at[at] ?? 0)
  const finding = (at: number, why: string, holds: boolean) =>
    ({ kind: 'instructions', at: plain.at[at] ?? 0, why, holds }) as const
  for (const { phrases, marks, holds } of searchesMade()) {
    for (const { why, slots } of phrases) {
      const at = phraseAt(letters.text, slots, begins)
      if (at >= 0) return finding(letters.at[at] ?? 0, why, holds)
    }
    const mark = marks.map((one) => plain.text.indexOf(one)).find((at) => at >= 0)
    if (mark !== undefined) return finding(mark, promptMarkWhy, holds)
  }
  return undefined
}

function phraseAt(text: string, [first, ...rest]: readonly Slot[], begins: (at: number) => boolean): number {
  for (const word of first?.words ?? []) {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
      if (begins(at) && slotsFollow(text, at + word.length, rest)) return at
    }
  }
  return -1
}

/** Matches without backtracking, so that no text makes it slow. */
export function slotsFollow(text: string, from: number, slots: readonly Slot[]): boolean {
  let at = from
  for (const { words, kind } of slots) {
    for (let times = kind === 'optional' ? mostFillers : 1; times > 0; times--) {
      const word = words.find((one) => text.startsWith(one, at))
      if ((word === undefined) === (kind !== 'unwanted') && kind !== 'optional') return false
      if (kind !== 'before') at += word?.length ?? 0
    }
  }
  return true
}

/** Words that may follow: any of them several times or not at all, exactly one, none, or one that is not consumed. */
type Slot = { readonly words: readonly string[]; readonly kind: 'needed' | 'optional' | 'unwanted' | 'before' }

const slotKinds: { readonly [mark: string]: Slot['kind'] } = { '[': 'optional', '!': 'unwanted', '=': 'before' }

function slotOf(part: string): Slot {
  const kind = slotKinds[part[0] ?? ''] ?? 'needed'
  const inner = kind === 'optional' ? part.slice(1, -1) : kind === 'needed' ? part : part.slice(1)
  return { kind, words: inner.split('|') }
}

const wordLetter = /[\p{L}\p{N}]/u
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u

/** True where a word begins: "act" in "fact" is not a word. In scripts without spaces, a word may begin anywhere. */
export const beginsWord = (text: string, at: number): boolean =>
  at === 0 || !wordLetter.test(text[at - 1] ?? '') || unspaced.test(text[at] ?? '')

const slotsOf = (phrase: string): Slot[] => phrase.split(', ').map(slotOf)

/** Phrases as letters only, so that spacing and spelling do not matter. */
const lettersIn = (groups: Phrases) =>
  Object.entries(groups).flatMap(([why, phrases]) => phrases.map((phrase) => ({ why, slots: slotsOf(phrase).map(withLetters) })))

function withLetters({ words, kind }: Slot): Slot {
  const letters = words.map(comparableName)
  // Longest words first, because a shorter word may be the beginning of a longer one.
  return { kind, words: letters.sort((one, other) => other.length - one.length) }
}

/** A character that may stand between two words of a phrase. */
const gapCharacter = /[\s*_"'.,:;-]/
const gapCharacters = [...'\t\n\v\f\r *_"\'.,:;-\u00a0\u3000']

/** Patterns that results are searched for. */
export const instructionKinds: readonly PassageKind[] = [
  ...Object.entries(resultPhrases).flatMap(([kind, phrases]) => phrases.map((phrase) => passageKind(kind, slotsOf(phrase)))),
  ...resultTags,
]

function passageKind(kind: string, slots: readonly Slot[]): PassageKind {
  const isUnspaced = slots.some(({ words }) => words.some((word) => unspaced.test(word)))
  const gap = `${gapCharacter.source}{${isUnspaced ? 0 : 1},4}`
  const source = slots.map((slot, at) => slotSource(slot, at === 0 ? '' : gap, gap)).join('')
  return { kind, anchors: anchorsOf(slots), gap: gapCharacter, pattern: new RegExp(`(?<![A-Za-z0-9])${source}(?![a-z])`, 'iy') }
}

export function slotSource({ words, kind }: Slot, lead: string, gap: string): string {
  const one = `(?:${words.map((word) => word.replaceAll(' ', gap)).join('|')})`
  if (kind === 'before') return `(?=\\s?${one})`
  if (kind === 'unwanted') return `(?!${lead}${one})`
  return kind === 'optional' ? `(?:${lead}${one}){0,${mostFillers}}` : lead + one
}

/** An anchor has at least three characters, so a word of two letters is joined with all that may follow it. */
function anchorsOf([first, ...rest]: readonly Slot[]): string[] {
  const next = rest.slice(0, rest.findIndex(({ kind }) => kind === 'needed') + 1).flatMap(({ words }) => words)
  const following = [...new Set([...gapCharacters, ...next.map((word) => word.charAt(0))])]
  return (first?.words ?? []).flatMap((word) => (word.length > 2 ? [word] : following.map((one) => word + one)))
}

let searches: ReturnType<typeof makeSearches> | undefined

/** Built for the first text, so that a program that scans none starts without them. */
function searchesMade() {
  searches ??= makeSearches()
  return searches
}

const makeSearches = () => [
  { ...strongSigns, phrases: lettersIn(strongSigns.phrases), holds: true },
  { ...weakSigns, phrases: lettersIn(weakSigns.phrases), holds: false },
]

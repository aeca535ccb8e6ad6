import type { Steps } from '../../bounds/steps.js'
import { invisibleSteps } from './invisible-characters.js'
import { type MatchLength, removeCharacters, removeMatches } from './remove-matches.js'
import { terminalSteps } from './terminal-sequences.js'

/** Rules that remove characters people do not see. Order matters: a removed character may have split a sequence of a later rule. */
export const characterRules = [
  ['terminal', terminalSteps],
  ['controls', controlSteps],
  ['invisible', invisibleSteps],
  ['bidi', bidiSteps],
] as const

// The rule for terminal sequences removes the introducers of escape sequences.
const controls =
  /[\0-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u008f\u0091-\u0097\u0099\u009a\ufdd0-\ufdef\ufffe\uffff]/g

/** Removes C0 except tab and line ends, lone carriage returns (they overwrite the line), DEL, C1, and noncharacters. */
function* controlSteps(text: string): Steps<string> {
  const lines = loneReturn.test(text) ? yield* removeMatches(text, isLoneReturn) : text
  return yield* removeCharacters(lines, controls)
}

const loneReturn = /\r(?!\n)/
const isLoneReturn: MatchLength = (text, at) => (text[at] === '\r' && text[at + 1] !== '\n' ? 1 : 0)

const reordering = /[\u202a-\u202e\u2066-\u2069]/g
const marks = /[\u061c\u200e\u200f]/g
const rightToLeft = /[\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Removes embeddings, overrides and isolates, which Arabic and Hebrew do not need. Single marks stay in right-to-left text. */
function* bidiSteps(text: string): Steps<string> {
  const plain = yield* removeCharacters(text, reordering)
  if (plain.search(marks) < 0) return plain
  return yield* rightToLeft.test(plain) ? removeMatches(plain, isRepeatedMark) : removeCharacters(plain, marks)
}

const isMark = (unit: number): boolean => unit === 0x061c || unit === 0x200e || unit === 0x200f
const isRepeatedMark: MatchLength = (text, at) => (isMark(text.charCodeAt(at)) && isMark(text.charCodeAt(at - 1)) ? 1 : 0)

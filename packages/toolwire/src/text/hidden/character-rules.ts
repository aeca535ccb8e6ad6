import { withoutInvisibleCharacters } from './invisible-characters.js'
import { withoutTerminalSequences } from './terminal-sequences.js'

/** Rules that remove characters people do not see. Order matters: a removed character may have split a sequence of a later rule. */
export const characterRules = [
  ['terminal', withoutTerminalSequences],
  ['controls', withoutControlCharacters],
  ['invisible', withoutInvisibleCharacters],
  ['bidi', withoutBidiFormatting],
] as const

// The rule for terminal sequences removes the introducers of escape sequences.
const controls =
  /\r(?!\n)|[\0-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u008f\u0091-\u0097\u0099\u009a\ufdd0-\ufdef\ufffe\uffff]/g

/** Removes C0 except tab and line ends, lone carriage returns (they overwrite the line), DEL, C1, and noncharacters. */
function withoutControlCharacters(text: string): string {
  return text.replace(controls, '')
}

const reordering = /[\u202a-\u202e\u2066-\u2069]/g
const marks = /[\u061c\u200e\u200f]/g
const repeatedMarks = /(?<=[\u061c\u200e\u200f])[\u061c\u200e\u200f]/g
const rightToLeft = /[\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Removes embeddings, overrides and isolates, which Arabic and Hebrew do not need. Single marks stay in right-to-left text. */
function withoutBidiFormatting(text: string): string {
  const plain = text.replace(reordering, '')
  return plain.replace(rightToLeft.test(plain) ? repeatedMarks : marks, '')
}

import { withoutInvisibleCharacters } from './invisible-characters.js'
import { withoutTerminalSequences } from './terminal-sequences.js'

/** What takes out characters that people do not see. The order matters: what goes first may have kept apart what a later rule looks for. */
export const characterRules = [
  ['terminal', withoutTerminalSequences],
  ['controls', withoutControlCharacters],
  ['invisible', withoutInvisibleCharacters],
  ['bidi', withoutBidiFormatting],
] as const

// Escape sequences have a rule of their own, and with it their introducers.
const controls =
  /\r(?!\n)|[\0-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u008f\u0091-\u0097\u0099\u009a\ufdd0-\ufdef\ufffe\uffff]/g

/**
 * Takes out C0 but tab and line ends, returns to the beginning of a line (what follows would be written over it), DEL, C1, and code
 * points that are no characters.
 */
function withoutControlCharacters(text: string): string {
  return text.replace(controls, '')
}

const reordering = /[\u202a-\u202e\u2066-\u2069]/g
const marks = /[\u061c\u200e\u200f]/g
const repeatedMarks = /(?<=[\u061c\u200e\u200f])[\u061c\u200e\u200f]/g
const rightToLeft = /[\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/**
 * Takes out embeddings, overrides and isolates; a single mark stays where text runs from right to left. Letters of Arabic or Hebrew
 * order themselves and need none of it.
 */
function withoutBidiFormatting(text: string): string {
  const plain = text.replace(reordering, '')
  return plain.replace(rightToLeft.test(plain) ? repeatedMarks : marks, '')
}

import { type MatchLength, removeMatches } from './remove-matches.js'

// Escape sequences have a rule of their own, and with it their introducers.
const control =
  /\r(?!\n)|[\0-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u008f\u0091-\u0097\u0099\u009a\ufdd0-\ufdef\ufffe\uffff]/

/** Takes out C0 but tab and line ends, returns to the beginning of a line (what follows would be written over it), DEL, C1, and code points that are no characters. */
export const withoutControlCharacters = (text: string): string => (control.test(text) ? removeMatches(text, isControl) : text)

const isControl: MatchLength = (text, at) => {
  const unit = text.charCodeAt(at)
  if (unit >= 0x20 && unit < 0x7f) return 0
  if (unit === 0x0d) return text.charCodeAt(at + 1) === 0x0a ? 0 : 1
  if (unit < 0x20) return unit === 0x09 || unit === 0x0a || unit === 0x1b ? 0 : 1
  if (unit > 0x9f) return (unit >= 0xfdd0 && unit <= 0xfdef) || unit >= 0xfffe ? 1 : 0
  return unit === 0x90 || unit === 0x98 || unit >= 0x9b ? 0 : 1
}

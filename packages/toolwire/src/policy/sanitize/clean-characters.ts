import { finish, type Steps } from '../../bounds/steps.js'
import { cut } from '../../text/cut.js'
import { characterRules } from '../../text/hidden/character-rules.js'
import type { Findings } from './sanitize-rules.js'

const notPlain = /[^\t\n\r -~]|\r(?!\n)/

/** True if the character rules have nothing to change. */
export const isPlainText = (text: string): boolean => !notPlain.test(text)

/** Applies the character rules to a short text. */
export const cleanCharacters = (text: string, findings: Findings): string =>
  notPlain.test(text) ? finish(characterSteps(text, findings)) : text

const longText = 65_536

/** Applies one character rule after the other; a long text is cleaned in steps. */
export function* characterSteps(text: string, findings: Findings): Steps<string> {
  if (!notPlain.test(text)) return text
  // A lone surrogate cannot be sent in UTF-8, and beside another half it would become a character that was never checked.
  let clean = text.toWellFormed()
  if (clean !== text) findings.found('controls')
  for (const [name, clear] of characterRules) {
    if (!findings.isOn(name)) continue
    const cleared = clean.length > longText ? yield* clear(clean) : finish(clear(clean))
    if (cleared.length !== clean.length && findings.found(name, clean.length - cleared.length)) clean = cleared
  }
  return clean
}

/** Cuts the text to a length, and notes at its end how long it was. */
export const cutText = (text: string, most: number, findings: Findings): string =>
  text.length > most && findings.found('size') ? beginningOf(text, most, text.length) : text

// A cut may complete another passage, whose notice makes the text too long again. Ordinary text is cut once.
const mostCuts = 8

/** The text with notices, cut to its maximum length. */
export function* fitNotedText(
  noted: string,
  { most, was, note }: { most: number; was: number; note: (text: string) => Steps<string> },
): Steps<string> {
  let text = noted
  for (let cuts = 0; text.length > most; cuts++) {
    if (cuts === mostCuts) return beginningOf('', most, was)
    text = yield* note(beginningOf(text, most, was))
  }
  return text
}

function beginningOf(text: string, most: number, was: number): string {
  const notice = `\n[cut: this is the beginning of ${was} characters]`
  return cut(text, most - notice.length) + notice
}

import type { Steps } from '../../bounds/steps.js'
import { cut } from '../../text/cut.js'
import { characterRules } from '../../text/hidden/character-rules.js'
import type { Findings } from './sanitize-rules.js'

const notPlain = /[^\t\n\r -~]|\r(?!\n)/

/** Nothing that the rules for characters are about. */
export const isPlainText = (text: string): boolean => !notPlain.test(text)

/** The text as the rules for characters leave it. */
export function cleanCharacters(text: string, findings: Findings): string {
  if (!notPlain.test(text)) return text
  // Half of a pair cannot be sent on in UTF-8, and with another half it would become something that was never looked at.
  let clean = text.toWellFormed()
  if (clean !== text) findings.found('controls')
  for (const [name, clear] of characterRules) {
    if (!findings.isOn(name)) continue
    const cleared = clear(clean)
    if (cleared.length !== clean.length && findings.found(name, clean.length - cleared.length)) clean = cleared
  }
  return clean
}

/** The text cut to a length, and at its end how long it was. */
export const cutText = (text: string, most: number, findings: Findings): string =>
  text.length > most && findings.found('size') ? beginningOf(text, most, text.length) : text

// Each cut may make one more passage complete, and a notice of it too long. Ordinary text is cut once.
const mostCuts = 8

/** The text with notices in it, no longer than it may be. */
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

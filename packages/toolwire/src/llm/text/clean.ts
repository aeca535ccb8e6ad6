// Text from strangers without what a person would not see: a model reads it all the same.
import { withoutBidi } from '../../policy/sanitize/bidi.js'
import { withoutControls } from '../../policy/sanitize/controls.js'
import { withoutInvisible } from '../../policy/sanitize/invisible.js'
import { withoutTerminal } from '../../policy/sanitize/terminal.js'

/** The text without controls, bidirectional overrides and invisible characters. Emoji and words of every script stay whole. */
export function cleanText(text: string): string {
  const lines = text.replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
  return wellFormed(withoutBidi(withoutInvisible(withoutControls(withoutTerminal(lines)))))
}

function wellFormed(text: string): string {
  // Every runtime we support has this method; the type library of our language level does not know it yet.
  return (text as string & { toWellFormed(): string }).toWellFormed()
}

// Text from strangers without what a person would not see: a model reads it all the same.
import { withoutBidiFormatting } from './hidden/bidi.js'
import { withoutControlCharacters } from './hidden/control-characters.js'
import { withoutInvisibleCharacters } from './hidden/invisible-characters.js'
import { withoutTerminalSequences } from './hidden/terminal-sequences.js'

/** The text without controls, bidirectional overrides and invisible characters. Emoji and words of every script stay whole. */
export function cleanText(text: string): string {
  const lines = text.replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
  return wellFormed(withoutBidiFormatting(withoutInvisibleCharacters(withoutControlCharacters(withoutTerminalSequences(lines)))))
}

function wellFormed(text: string): string {
  // Every runtime we support has this method; the type library of our language level does not know it yet.
  return (text as string & { toWellFormed(): string }).toWellFormed()
}

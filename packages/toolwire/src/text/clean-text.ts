// Removes what a person cannot see from untrusted text, because a model reads it all the same.
import { finish } from '../bounds/steps.js'
import { characterRules } from './hidden/character-rules.js'

/** The text without controls, bidirectional overrides and invisible characters. Emoji and words of every script stay whole. */
export function cleanText(text: string): string {
  const lines = text.replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
  return characterRules.reduce((clean, [, clear]) => finish(clear(clean)), lines).toWellFormed()
}

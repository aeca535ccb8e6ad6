import { latePattern } from './late-pattern.js'

const hidden = String.raw`[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]`

// Characters that a person cannot see: controls, formatting, lone surrogates, unassigned ones, odd spaces, and those that fonts leave out.
export const hiddenCharacters = latePattern(String.raw`(?![\n\t ])${hidden}`, 'gu')
const hiddenInLine = latePattern(`(?! )${hidden}`, 'gu')

/** The text with everything invisible written as \u{…}; line ends and tabs stay. */
export const visible = (text: string): string => text.replace(hiddenCharacters(), escaped)

/** The same on one line, for logs: untrusted text can neither end the line nor colour it. */
export const visibleLine = (text: string): string => (plain.test(text) ? text : text.replace(hiddenInLine(), escaped))

/** Matches most names, in a fraction of the time of the replacement. */
const plain = /^[ -~]*$/

const escaped = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`

// What a person cannot see in text: controls, formatting, halves of pairs, unassigned, odd spaces, and all that fonts leave out.
export const hiddenCharacters = /(?![\n\t ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu
const hiddenInLine = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu

/** The text with everything invisible written as \u{…}; line ends and tabs stay. */
export const visible = (text: string): string => text.replace(hiddenCharacters, escaped)

/** The same on one line, for logs: a stranger's words can neither end it nor colour it. */
export const visibleLine = (text: string): string => (plain.test(text) ? text : text.replace(hiddenInLine, escaped))

/** Most names; found out in a fraction of the time. */
const plain = /^[ -~]*$/

const escaped = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`

/** The same characters as in `toolwire/client`, which is too large to load for an error message; a test compares them. */
export const hiddenCharacters = /(?![\n\t ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu

/** The text with invisible characters written as \u{…}; line ends and tabs stay. */
export const visibleText = (text: string): string => text.replace(hiddenCharacters, escaped)

/** The text on one line, with invisible characters escaped. */
export const visibleTextLine = (text: string): string => visibleText(text).replace(/[\n\t]/g, escaped)

/** Untrusted text of several lines. Further lines are indented, so that none can pass for a line of this program. */
export const indentedText = (text: string, indent = '    '): string => visibleText(text).replaceAll('\n', `\n${indent}`)

const escaped = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`

/** JSON with invisible characters escaped; its meaning is unchanged. */
export function visibleJson(value: unknown, indent = 2): string {
  const text = JSON.stringify(value, undefined, indent) ?? 'null'
  return text.replace(hiddenCharacters, (character) =>
    Array.from({ length: character.length }, (_, at) => unitEscaped(character.charCodeAt(at))).join(''),
  )
}

/** JSON on one line, with invisible characters escaped. */
export const visibleJsonLine = (value: unknown): string => visibleJson(value, 0)

const unitEscaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`

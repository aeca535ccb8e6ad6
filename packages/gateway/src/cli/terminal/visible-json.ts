import { hiddenCharacters } from './visible-text.js'

/** JSON in which nothing is hidden, and which says the same. */
export function visibleJson(value: unknown, indent = 2): string {
  const text = JSON.stringify(value, undefined, indent) ?? 'null'
  return text.replace(hiddenCharacters, (character) =>
    Array.from({ length: character.length }, (_, at) => escaped(character.charCodeAt(at))).join(''),
  )
}

/** The same on one line. */
export const visibleJsonLine = (value: unknown): string => visibleJson(value, 0)

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`

/** A name that nothing has: where it is written, and a sentence with the name that is most like it. */
export type MissingName = ReturnType<typeof missingName>

export type MissingNameParts = {
  readonly where: string
  readonly words: string
  /** Servers whose tools are withheld until it fits. */
  readonly holds: readonly string[]
  readonly unless?: string
  /** It has a wildcard, and may be there as a precaution: this is no trouble. */
  readonly isPrecaution?: boolean
}

export function missingName({ where, words, holds, unless, isPrecaution = false }: MissingNameParts) {
  const ending = words.endsWith('?') ? '' : '.'
  const held = holds.length === 0 ? '' : ` The tools of ${holds.join(' and ')} are withheld until it fits, or ${unless}.`
  return { where, message: `${where}: ${words}${ending}${held}`, holds, isPrecaution }
}

export const quoted = (name: string): string => JSON.stringify(name)
export const hasWildcard = (name: string): boolean => /[*?]/.test(name)
export const noSuchTool = (name: string): string =>
  hasWildcard(name) ? `no tool fits ${quoted(name)}` : `there is no tool ${quoted(name)}`

/** A name that nothing has: its place, and a message that suggests a similar name. */
export type MissingName = ReturnType<typeof missingName>

export type MissingNameParts = {
  readonly where: string
  readonly words: string
  /** Servers whose tools are withheld until the name is correct. */
  readonly holds: readonly string[]
  readonly unless?: string
  /** A wildcard that matches nothing may be intended as a precaution, so it is not an error. */
  readonly isPrecaution?: boolean
}

export function missingName({ where, words, holds, unless, isPrecaution = false }: MissingNameParts) {
  const ending = words.endsWith('?') ? '' : '.'
  const held =
    holds.length === 0 ? '' : ` The tools of ${holds.join(' and ')} are withheld until the name is corrected, or ${unless}.`
  return { where, message: `${where}: ${words}${ending}${held}`, holds, isPrecaution }
}

export const quoted = (name: string): string => JSON.stringify(name)
export const hasWildcard = (name: string): boolean => /[*?]/.test(name)
export const noSuchTool = (name: string): string =>
  hasWildcard(name) ? `no tool matches ${quoted(name)}` : `there is no tool ${quoted(name)}`

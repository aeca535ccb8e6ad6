/** Does a name match one of the patterns, in which `*` stands for any text? */
export const matchesAny = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => matches(pattern.split('*'), name))

/** The first part must open the name, the last must end it, and the others follow in order: one pass, without backtracking. */
function matches([first = '', ...rest]: readonly string[], name: string): boolean {
  const last = rest.at(-1)
  if (last === undefined) return name === first
  if (!name.startsWith(first)) return false
  let at = first.length
  for (const part of rest.slice(0, -1)) {
    const found = name.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return name.length - last.length >= at && name.endsWith(last)
}

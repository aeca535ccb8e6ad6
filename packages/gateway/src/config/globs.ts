// Globs of the config. They mean what they mean in rules.

/** Matches in one pass, because thousands of names are compared. After a mismatch, the last `*` takes one more character. */
export function matchesGlob(glob: string, name: string): boolean {
  let inGlob = 0
  let inName = 0
  let star: { readonly inGlob: number; inName: number } | undefined
  while (inName < name.length) {
    const wanted = glob.codePointAt(inGlob)
    if (wanted === asterisk) star = { inGlob: ++inGlob, inName }
    else if (wanted === questionMark || wanted === name.codePointAt(inName)) {
      inGlob += sizeAt(glob, inGlob)
      inName += sizeAt(name, inName)
    } else if (star) {
      star.inName += sizeAt(name, star.inName)
      inGlob = star.inGlob
      inName = star.inName
    } else return false
  }
  while (glob.codePointAt(inGlob) === asterisk) inGlob++
  return inGlob === glob.length
}

const asterisk = 0x2a
const questionMark = 0x3f

/** Length of the character at this place. */
const sizeAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)

export const matchesAny = (globs: readonly string[], name: string): boolean => globs.some((glob) => matchesGlob(glob, name))

import { plainText } from 'toolwire/relay'

const mostNames = 3

/** The names that are most like a mistyped one, compared with and without their server. */
export function nearestNames(word: string, names: readonly string[]): string[] {
  const whole = namesLike(word, names, { spellings, mostEdits: Math.max(1, Math.floor(word.length / 3)) })
  if (whole.length > 0) return whole
  // The beginning of a name, such as files__write for files__write_file.
  const own = ownPart(word)
  const beginnings = (name: string) => [ownPart(name).slice(0, own.length)]
  return namesLike(own, names, { spellings: beginnings, mostEdits: Math.floor((own.length + 1) / 3) })
}

type Likeness = { readonly spellings: (name: string) => string[]; readonly mostEdits: number }

function namesLike(word: string, names: readonly string[], { spellings, mostEdits }: Likeness): string[] {
  const found: string[] = []
  let left = names
  while (found.length < mostNames) {
    const like = plainText.nearest(word, left.flatMap(spellings), mostEdits, Number.POSITIVE_INFINITY)
    if (like === undefined) break
    found.push(...left.filter((name) => spellings(name).includes(like)))
    left = left.filter((name) => !found.includes(name))
  }
  return found.slice(0, mostNames)
}

const ownPart = (name: string): string => name.replace(/^.*?__/, '')
const spellings = (name: string): string[] => [name, ownPart(name)]

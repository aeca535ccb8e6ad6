import { plainText } from 'toolwire/relay'

const mostNames = 3

/** The names that are most like a mistyped one, compared with and without their server. */
export function nearestNames(word: string, names: readonly string[]): string[] {
  const mostEdits = Math.max(1, Math.floor(word.length / 3))
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

const spellings = (name: string): string[] => [name, name.replace(/^.*?__/, '')]

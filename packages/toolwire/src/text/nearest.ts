const longestName = 40
const mostNames = 100

/** The known name a person most likely meant, if one is close enough: a third of the letters may differ, or so many. */
export function nearest(
  name: string,
  known: Iterable<string>,
  most: number = Math.max(2, Math.ceil(name.length / 3)),
): string | undefined {
  if (name.length > longestName) return undefined
  let best: string | undefined
  let bestDistance = most + 1
  let looked = 0
  for (const candidate of known) {
    if (looked++ === mostNames) break
    if (candidate.length > longestName || Math.abs(candidate.length - name.length) >= bestDistance) continue
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance >= bestDistance || distance >= Math.max(name.length, candidate.length)) continue
    best = candidate
    bestDistance = distance
  }
  return best
}

/** Levenshtein distance, one row at a time. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const substitution = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, substitution))
    }
    row = next
  }
  return row[to.length]!
}

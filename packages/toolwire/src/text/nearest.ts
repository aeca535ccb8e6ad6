const longestName = 64
const mostNames = 100

/** The closest of the first `mostLooked` names, if it differs in at most `mostEdits` letters: by default a third. */
export function nearest(
  name: string,
  known: Iterable<string>,
  mostEdits: number = Math.max(2, Math.ceil(name.length / 3)),
  mostLooked: number = mostNames,
): string | undefined {
  if (name.length > longestName) return undefined
  let best: string | undefined
  let bestDistance = mostEdits + 1
  let looked = 0
  for (const candidate of known) {
    if (looked++ === mostLooked) break
    if (candidate.length > longestName || Math.abs(candidate.length - name.length) >= bestDistance) continue
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance >= bestDistance || distance >= Math.max(name.length, candidate.length)) continue
    best = candidate
    bestDistance = distance
  }
  return best
}

/** Number of letters to change, insert or remove. Two neighbours that have swapped places count as one edit. */
function editDistance(from: string, to: string): number {
  let before: number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const substitution = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      const isSwapped = i > 1 && from[i - 2] === to[j - 1] && from[i - 1] === to[j - 2]
      const swap = isSwapped ? before[j - 2]! + 1 : substitution
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, substitution, swap))
    }
    before = row
    row = next
  }
  return row[to.length]!
}

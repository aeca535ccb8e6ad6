const longestName = 64
const mostNames = 100
const newRow = (): Uint8Array => new Uint8Array(2 * longestName + 1)
/** Reused, because a name is compared with many. In lower case, `İ` takes two characters. */
const rows = [newRow(), newRow(), newRow()] as const

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
  let [before, row, next]: [Uint8Array, Uint8Array, Uint8Array] = [...rows]
  for (let j = 0; j <= to.length; j++) row[j] = j
  for (let i = 1; i <= from.length; i++) {
    const letter = from.charCodeAt(i - 1)
    const earlier = i > 1 ? from.charCodeAt(i - 2) : -1
    next[0] = i
    for (let j = 1; j <= to.length; j++) {
      const other = to.charCodeAt(j - 1)
      let least = letter === other ? row[j - 1]! : row[j - 1]! + 1
      if (earlier === other && j > 1 && letter === to.charCodeAt(j - 2)) least = Math.min(least, before[j - 2]! + 1)
      next[j] = Math.min(least, row[j]! + 1, next[j - 1]! + 1)
    }
    const spare = before
    before = row
    row = next
    next = spare
  }
  return row[to.length]!
}

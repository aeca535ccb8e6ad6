const most = 3

/** The names that are most like a mistyped one; none if none is. */
export function nearestNames(word: string, names: readonly string[]): string[] {
  const limit = Math.max(1, Math.floor(word.length / 3))
  return names
    .map((name) => ({ name, distance: Math.min(edits(word, name), edits(word, name.slice(name.indexOf('__') + 2))) }))
    .filter(({ distance }) => distance <= limit)
    .sort((one, other) => one.distance - other.distance)
    .slice(0, most)
    .map(({ name }) => name)
}

/** How many letters must be changed, put in or taken out; two that have changed places count as one. */
function edits(one: string, other: string): number {
  const longest = 200
  const from = [...one.toLowerCase().slice(0, longest)]
  const to = [...other.toLowerCase().slice(0, longest)]
  let before: number[] = []
  let row = to.map((_, at) => at + 1)
  row.unshift(0)
  for (const [down, letter] of from.entries()) {
    const next = [down + 1]
    for (const [across, its] of to.entries()) {
      const replaced = row[across]! + (letter === its ? 0 : 1)
      const swapped = letter === to[across - 1] && from[down - 1] === its ? before[across - 1]! + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min(replaced, row[across + 1]! + 1, next[across]! + 1, swapped))
    }
    before = row
    row = next
  }
  return row[to.length]!
}

// The difference between two texts, line by line.

export type DiffLine = { readonly kind: 'same' | 'removed' | 'added'; readonly text: string }

/** Beyond this many comparisons, all lines between the first and the last difference count as changed. */
const mostCells = 4_000_000

/** The lines of both texts in one list: removed lines are only in the first, added lines only in the second. */
export function lineDifference(before: string, after: string): DiffLine[] {
  const [old, young] = [before.split('\n'), after.split('\n')]
  const start = commonStart(old, young)
  const end = commonEnd(old.slice(start), young.slice(start))
  return [
    ...lines('same', old.slice(0, start)),
    ...between(old.slice(start, old.length - end), young.slice(start, young.length - end)),
    ...lines('same', old.slice(old.length - end)),
  ]
}

const lines = (kind: DiffLine['kind'], texts: readonly string[]): DiffLine[] => texts.map((text) => ({ kind, text }))

function commonStart(a: ArrayLike<string>, b: ArrayLike<string>): number {
  const most = Math.min(a.length, b.length)
  let count = 0
  while (count < most && a[count] === b[count]) count++
  return count
}

function commonEnd(a: ArrayLike<string>, b: ArrayLike<string>): number {
  const most = Math.min(a.length, b.length)
  let count = 0
  while (count < most && a[a.length - 1 - count] === b[b.length - 1 - count]) count++
  return count
}

/** Compares by the longest common subsequence. */
function between(old: readonly string[], young: readonly string[]): DiffLine[] {
  if (old.length * young.length > mostCells) return [...lines('removed', old), ...lines('added', young)]
  const longest = table(old, young)
  const width = young.length + 1
  const found: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < young.length) {
    if (i < old.length && j < young.length && old[i] === young[j]) {
      found.push({ kind: 'same', text: old[i++] ?? '' })
      j++
    } else if (j === young.length || (i < old.length && at(longest, (i + 1) * width + j) >= at(longest, i * width + j + 1)))
      found.push({ kind: 'removed', text: old[i++] ?? '' })
    else found.push({ kind: 'added', text: young[j++] ?? '' })
  }
  return found
}

/** Length of the longest common subsequence from each pair of positions on. */
function table(old: readonly string[], young: readonly string[]): Uint32Array {
  const width = young.length + 1
  const longest = new Uint32Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = young.length - 1; j >= 0; j--)
      longest[i * width + j] =
        old[i] === young[j]
          ? 1 + at(longest, (i + 1) * width + j + 1)
          : Math.max(at(longest, (i + 1) * width + j), at(longest, i * width + j + 1))
  return longest
}

const at = (numbers: Uint32Array, index: number): number => numbers[index] ?? 0

/** Length of the common beginning and end of two lines, in characters. */
export function commonEnds(a: string, b: string): { readonly start: number; readonly end: number } {
  // Compares code points, so that no surrogate pair is split.
  const [left, right] = [[...a], [...b]]
  const start = commonStart(left, right)
  const end = commonEnd(left.slice(start), right.slice(start))
  const lengthOf = (characters: readonly string[]) => characters.join('').length
  return { start: lengthOf(left.slice(0, start)), end: lengthOf(left.slice(left.length - end)) }
}

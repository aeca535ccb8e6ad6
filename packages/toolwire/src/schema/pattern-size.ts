/**
 * Estimates how many instructions a pattern becomes: counted repetitions are written out, so `(a{30}){30}` is 900 of them.
 * Compiling costs in proportion, so this is asked before.
 */
export function patternSize(source: string): number {
  const tokens = /\\(?:[pPxu]\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|[()]|./gsu
  const groups: Group[] = [{ total: 0, last: 0 }]
  for (const [token, least, most] of source.matchAll(tokens)) {
    const group = groups.at(-1)!
    if (token === '(') groups.push({ total: 0, last: 0 })
    else if (token === ')' && groups.length > 1) add(groups.at(-2)!, groups.pop()!.total + 2)
    else if (least !== undefined) repeat(group, Math.max(Number(least), Number(most ?? 0), 1))
    else add(group, 1)
  }
  return groups.reduce((sum, group) => sum + group.total, 0)
}

type Group = { total: number; last: number }

function add(group: Group, size: number): void {
  group.total += size
  group.last = size
}

function repeat(group: Group, times: number): void {
  group.total += group.last * (times - 1)
  group.last *= times
}

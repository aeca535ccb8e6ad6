const context = 2

/** What is different between two texts, as one piece: lines that go, lines that come, and a little around them. */
export function textDiff(before: string, after: string): string {
  if (before === after) return ''
  const old = linesOf(before)
  const now = linesOf(after)
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head++
  let tail = 0
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  const from = Math.max(0, head - context)
  return [
    `@@ line ${from + 1} @@`,
    ...marked(' ', old.slice(from, head)),
    ...marked('-', old.slice(head, old.length - tail)),
    ...marked('+', now.slice(head, now.length - tail)),
    ...marked(' ', old.slice(old.length - tail, old.length - tail + context)),
  ].join('\n')
}

const marked = (mark: string, lines: readonly string[]): string[] => lines.map((line) => `${mark}${line}`)
const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/))

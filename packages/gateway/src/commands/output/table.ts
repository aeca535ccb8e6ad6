import { visibleLine } from '../terminal/hidden.js'
import type { Terminal } from '../terminal/terminal.js'

/** Rows under headings, as wide as they need to be; the last column is cut where the terminal ends. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[], { paint, width }: Terminal): string {
  const cells = rows.map((row) => row.map(visibleLine))
  const widths = headings.map((heading, at) => Math.max(heading.length, ...cells.map((row) => row[at]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    cut(row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('  '), width)
  return [paint.bold(line(headings).trimEnd()), ...cells.map((row) => line(row).trimEnd())].join('\n')
}

const cut = (line: string, width: number | undefined): string =>
  width === undefined || line.length <= width ? line : `${line.slice(0, Math.max(1, width - 1))}…`

/** The first line of a text, which may be long. */
export const firstLine = (text: string | undefined): string => text?.trimStart().split('\n', 1)[0] ?? ''

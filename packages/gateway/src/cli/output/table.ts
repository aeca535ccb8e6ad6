import type { Terminal } from '../terminal/terminal.js'
import { visibleTextLine } from '../terminal/visible-text.js'

/** Colours one column, by row. */
type Tint = { readonly column: number; readonly of: (row: number) => ((text: string) => string) | undefined }

type Rows = readonly (readonly string[])[]
type Page = Pick<Terminal, 'paint' | 'width'>

/** Formats rows under headings; the last column is cut at the width of the terminal. */
export function table(headings: readonly string[], rows: Rows, { paint, width }: Page, tint?: Tint): string {
  const cells = rows.map((row) => row.map(visibleTextLine))
  const widths = headings.map((heading, at) => Math.max(heading.length, ...cells.map((row) => row[at]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    cut(row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('  '), width)
  const from = widths.slice(0, tint?.column).reduce((sum, cell) => sum + cell + 2, 0)
  const tinted = (text: string, row: number) => {
    const colour = tint?.of(row)
    if (!tint || !colour) return text
    const to = from + (cells[row]?.[tint.column]?.length ?? 0)
    return `${text.slice(0, from)}${colour(text.slice(from, to))}${text.slice(to)}`
  }
  return [paint.bold(line(headings).trimEnd()), ...cells.map((row, at) => tinted(line(row).trimEnd(), at))].join('\n')
}

const cut = (line: string, width: number | undefined): string =>
  width === undefined || line.length <= width ? line : `${line.slice(0, Math.max(1, width - 1))}…`

export const firstLineOf = (text: string | undefined): string => text?.trimStart().split('\n', 1)[0] ?? ''

import type { ComponentChildren } from 'preact'

// Which rows of a long list stand in the page.

export type VisibleRows = { readonly first: number; readonly last: number }

const beyond = 8

/** The rows that can be seen, and a few before and after them; `last` is not included. */
export function visibleRows(
  scrolled: number,
  seen: number,
  rows: { readonly count: number; readonly height: number },
): VisibleRows {
  const first = Math.max(0, Math.floor(scrolled / rows.height) - beyond)
  const last = Math.min(rows.count, Math.ceil((scrolled + seen) / rows.height) + beyond)
  return { first: Math.min(first, Math.max(0, rows.count - 1)), last }
}

/** Where the keys go from a row; undefined for other keys. */
export function rowAfter(key: string, at: number, rows: { readonly count: number; readonly page: number }): number | undefined {
  const within = (index: number) => Math.min(rows.count - 1, Math.max(0, index))
  if (key === 'ArrowDown') return within(at + 1)
  if (key === 'ArrowUp') return within(at - 1)
  if (key === 'PageDown') return within(at + rows.page)
  if (key === 'PageUp') return within(at - rows.page)
  if (key === 'Home') return within(0)
  return key === 'End' ? within(rows.count - 1) : undefined
}

/** A column of `Rows`. */
export type Column<T> = {
  readonly title: string
  /** A track of a CSS grid: `8rem`, `2fr`; without one it takes an equal part. */
  readonly width?: string
  /** The same for narrow screens, where that is another one. */
  readonly narrow?: string
  /** Left out on narrow screens. */
  readonly wideOnly?: boolean
  readonly cell: (row: T) => ComponentChildren
}

/** What the style of a table needs to know of its columns. */
export const tracksOf = <T>(columns: readonly Column<T>[]): { [name: string]: string } => ({
  '--tracks': columns.map(({ width }) => trackOf(width)).join(' '),
  '--narrow-tracks': columns
    .filter(({ wideOnly }) => !wideOnly)
    .map(({ width, narrow = width }) => trackOf(narrow))
    .join(' '),
})

/** Long words make no column wider than its part. */
const trackOf = (width = '1fr'): string => (width.endsWith('fr') ? `minmax(0, ${width})` : width)

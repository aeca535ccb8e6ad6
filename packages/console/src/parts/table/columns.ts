import type { ComponentChildren } from 'preact'

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

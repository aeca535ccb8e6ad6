// A table with absolutely positioned rows. As a grid it would lose its table semantics, so it declares them as roles.
// biome-ignore-all lint/a11y/useSemanticElements: laid out as a grid, a table loses its meaning in some browsers
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus stays at the grid, which says which row is meant
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the keys are handled by the grid
import type { ComponentChildren, RefObject, TargetedKeyboardEvent } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'

/** A column of a `VirtualTable`. */
export type Column<T> = {
  readonly title: string
  /** The width as a track of a CSS grid: `8rem`, `2fr`; by default an equal part. */
  readonly width?: string
  /** The width on narrow screens, if different. */
  readonly narrow?: string
  /** Left out on narrow screens. */
  readonly wideOnly?: boolean
  readonly cell: (row: T) => ComponentChildren
}

type Key = string | number
type Rows<T> = { readonly rows: readonly T[]; readonly keyOf: (row: T) => Key; readonly height?: number }
type Props<T> = Rows<T> & {
  readonly label: string
  readonly columns: readonly Column<T>[]
  /** Called on Enter, or on a click on a row. */
  readonly onOpen?: (row: T) => void
  /** Key of the row that is open elsewhere on the page. */
  readonly current?: Key | undefined
  /** Called near the end of the rows, so that more can be loaded. */
  readonly onEnd?: () => void
  readonly class?: string
}

/** A table of any length: only the visible rows are rendered. Arrow keys move from row to row. */
export function VirtualTable<T>({ label, rows, columns, keyOf, onOpen, onEnd, current, height = 36, class: own }: Props<T>) {
  const place = useRef<HTMLDivElement>(null)
  const activeId = useId()
  const [active, setActive] = useState<Key>()
  const { scrolled, seen, look } = useScrollPosition(place, (end) => end > rows.length * height && onEnd?.())
  useScrollAnchor(place, { rows, keyOf, height })
  const { first, last } = visibleRows(scrolled, seen, { count: rows.length, height })
  const shown = rows.slice(first, last)
  function move(event: TargetedKeyboardEvent<HTMLDivElement>): void {
    // Controls inside a row handle their own keys.
    if (event.target !== event.currentTarget) return
    const at = rows.findIndex((row) => keyOf(row) === active)
    if (event.key === 'Enter' && at >= 0) onOpen?.(rows[at]!)
    const next = rowAfter(event.key, at, { count: rows.length, page: Math.max(1, Math.floor(seen / height) - 2) })
    const found = next === undefined ? undefined : rows[next]
    if (next === undefined || found === undefined) return
    event.preventDefault()
    setActive(keyOf(found))
    bringIntoView(event.currentTarget, next * height, height)
  }
  const cellsOf = (role: 'gridcell' | 'columnheader', content: (column: Column<T>) => ComponentChildren) =>
    columns.map((column) => (
      <div role={role} key={column.title} class={column.wideOnly ? 'wide-only' : undefined}>
        {content(column)}
      </div>
    ))
  return (
    <div
      class={own ? `rows ${own}` : 'rows'}
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={shown.some((row) => keyOf(row) === active) ? activeId : undefined}
      tabIndex={0}
      ref={place}
      style={tracksOf(columns)}
      onScroll={look}
      onKeyDown={move}
    >
      <div class="rows-head" role="row" aria-rowindex={1}>
        {cellsOf('columnheader', ({ title }) => title)}
      </div>
      <div class="rows-all" role="rowgroup" style={{ height: `${rows.length * height}px` }}>
        {shown.map((row, at) => (
          <div
            key={keyOf(row)}
            role="row"
            id={keyOf(row) === active ? activeId : undefined}
            class={onOpen ? 'row can-open' : 'row'}
            // The header is the first row.
            aria-rowindex={first + at + 2}
            aria-selected={onOpen && keyOf(row) === current}
            data-active={keyOf(row) === active || undefined}
            style={{ transform: `translateY(${(first + at) * height}px)`, height: `${height}px` }}
            onClick={({ target }) => {
              setActive(keyOf(row))
              if (!isOfItsOwn(target)) onOpen?.(row)
            }}
          >
            {cellsOf('gridcell', ({ cell }) => cell(row))}
          </div>
        ))}
      </div>
    </div>
  )
}

/** Is it a control inside a row? A click on one does not open the row. */
const isOfItsOwn = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('button, a, input, select') !== null

/** CSS variables with the widths of the columns. */
const tracksOf = <T,>(columns: readonly Column<T>[]): { [name: string]: string } => ({
  '--tracks': columns.map(({ width }) => trackOf(width)).join(' '),
  '--narrow-tracks': columns
    .filter(({ wideOnly }) => !wideOnly)
    .map(({ width, narrow = width }) => trackOf(narrow))
    .join(' '),
})

/** Keeps long words from making a column wider than its share. */
const trackOf = (width = '1fr'): string => (width.endsWith('fr') ? `minmax(0, ${width})` : width)

function bringIntoView(place: HTMLElement, top: number, height: number): void {
  const seen = place.clientHeight - (place.firstElementChild?.clientHeight ?? 0)
  if (top < place.scrollTop) place.scrollTop = top
  else if (top + height > place.scrollTop + seen) place.scrollTop = top + height - seen
}

/** Keeps the visible rows in place when rows are added above. */
function useScrollAnchor<T>(place: RefObject<HTMLElement | null>, { rows, keyOf, height }: Required<Rows<T>>): void {
  const before = useRef(rows)
  useLayoutEffect(() => {
    const { current } = place
    const at = Math.floor((current?.scrollTop ?? 0) / height)
    const top = before.current[at]
    before.current = rows
    // At the top the user watches for new rows.
    if (!current || current.scrollTop === 0 || top === undefined) return
    const now = rows.findIndex((row) => keyOf(row) === keyOf(top))
    if (now >= 0 && now !== at) current.scrollTop += (now - at) * height
  }, [rows])
}

/** The scroll position and the visible height, in pixels. Calls `onLook` with the position one screen below the visible part. */
function useScrollPosition(place: RefObject<HTMLElement | null>, onLook: (end: number) => void) {
  const [view, setView] = useState({ scrolled: 0, seen: 600 })
  const latest = useRef(onLook)
  latest.current = onLook
  function look(): void {
    const { scrollTop: scrolled = 0, clientHeight: seen = 600 } = place.current ?? {}
    setView((before) => (before.scrolled === scrolled && before.seen === seen ? before : { scrolled, seen }))
    latest.current(scrolled + 2 * seen)
  }
  useLayoutEffect(() => {
    const watching = new ResizeObserver(look)
    if (place.current) watching.observe(place.current)
    return () => watching.disconnect()
  }, [])
  return { ...view, look }
}

const beyond = 8

/** The visible rows, with a few before and after them; `last` is exclusive. */
export function visibleRows(scrolled: number, seen: number, rows: { readonly count: number; readonly height: number }) {
  const first = Math.max(0, Math.floor(scrolled / rows.height) - beyond)
  const last = Math.min(rows.count, Math.ceil((scrolled + seen) / rows.height) + beyond)
  return { first: Math.min(first, Math.max(0, rows.count - 1)), last }
}

/** The row that a key moves to; undefined for other keys. */
export function rowAfter(key: string, at: number, rows: { readonly count: number; readonly page: number }): number | undefined {
  const within = (index: number) => Math.min(rows.count - 1, Math.max(0, index))
  if (key === 'ArrowDown') return within(at + 1)
  if (key === 'ArrowUp') return within(at - 1)
  if (key === 'PageDown') return within(at + rows.page)
  if (key === 'PageUp') return within(at - rows.page)
  if (key === 'Home') return within(0)
  return key === 'End' ? within(rows.count - 1) : undefined
}

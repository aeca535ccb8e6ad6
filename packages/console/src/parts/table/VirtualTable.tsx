// A table whose rows stand anywhere: laid out as a grid it would lose what a table means, so it says it in roles.
// biome-ignore-all lint/a11y/useSemanticElements: laid out as a grid, a table loses its meaning in some browsers
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus stays at the grid, which says which row is meant
import type { TargetedKeyboardEvent } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { VirtualRow } from './VirtualRow.js'
import { type Column, rowAfter, tracksOf, visibleRows } from './visible-rows.js'

export type { Column } from './visible-rows.js'

type Key = string | number
type Props<T> = {
  readonly label: string
  readonly rows: readonly T[]
  readonly columns: readonly Column<T>[]
  readonly keyOf: (row: T) => Key
  /** Enter, or a click on a row. */
  readonly onOpen?: (row: T) => void
  /** The row that is open elsewhere on the page. */
  readonly current?: Key | undefined
  /** How many there are in all, where not all of them are loaded. */
  readonly total?: number
  /** Called when the end comes near: more can be loaded. */
  readonly onEnd?: () => void
  /** Height of each row in pixels; 36 if not said. */
  readonly height?: number
  readonly class?: string
}

/** A table of as many rows as may be: only those that can be seen are in the page. Arrow keys go from row to row. */
export function VirtualTable<T>(props: Props<T>) {
  const { label, rows, columns, keyOf, onOpen, onEnd, current, total, height = 36 } = props
  const place = useRef<HTMLDivElement>(null)
  const name = useId()
  const { scrolled, seen, look } = useScrollPosition(place, (now) => {
    if (now.scrolled + 2 * now.seen > rows.length * height) onEnd?.()
  })
  useScrollAnchor({ place, rows, keyOf, height })
  const { active, setActive, move } = useMoving({ ...props, height }, place, seen)
  const { first, last } = visibleRows(scrolled, seen, { count: rows.length, height })
  const shown = rows.slice(first, last)
  const activeId = `${name}-active`
  return (
    <div
      class={props.class ? `rows ${props.class}` : 'rows'}
      role="grid"
      aria-label={label}
      aria-rowcount={(total ?? rows.length) + 1}
      aria-activedescendant={shown.some((row) => keyOf(row) === active) ? activeId : undefined}
      tabIndex={0}
      ref={place}
      style={tracksOf(columns)}
      onScroll={look}
      onKeyDown={move}
    >
      <Head columns={columns} />
      <div class="rows-all" role="rowgroup" style={{ height: `${rows.length * height}px` }}>
        {shown.map((row, at) => (
          <VirtualRow
            key={keyOf(row)}
            row={row}
            columns={columns}
            at={first + at}
            height={height}
            activeId={keyOf(row) === active ? activeId : undefined}
            isCurrent={onOpen && keyOf(row) === current}
            onClick={(isOpening) => {
              setActive(keyOf(row))
              if (isOpening) onOpen?.(row)
            }}
          />
        ))}
      </div>
    </div>
  )
}

/** The row that the keys are at, and where they go. */
function useMoving<T>(
  { rows, keyOf, onOpen, height }: Pick<Props<T>, 'rows' | 'keyOf' | 'onOpen'> & { readonly height: number },
  place: { readonly current: HTMLDivElement | null },
  seen: number,
) {
  const [active, setActive] = useState<Key>()
  function move(event: TargetedKeyboardEvent<HTMLDivElement>): void {
    // Buttons in a row have keys of their own.
    if (event.target !== event.currentTarget) return
    const at = rows.findIndex((row) => keyOf(row) === active)
    if (event.key === 'Enter' && at >= 0) onOpen?.(rows[at]!)
    const next = rowAfter(event.key, at, { count: rows.length, page: Math.max(1, Math.floor(seen / height) - 2) })
    const found = next === undefined ? undefined : rows[next]
    if (next === undefined || found === undefined) return
    event.preventDefault()
    setActive(keyOf(found))
    bringIntoView(place.current, next * height, height)
  }
  return { active, setActive, move }
}

const Head = <T,>({ columns }: { columns: readonly Column<T>[] }) => (
  <div class="rows-head" role="row" aria-rowindex={1}>
    {columns.map(({ title, wideOnly }) => (
      <div role="columnheader" key={title} class={wideOnly ? 'wide-only' : undefined}>
        {title}
      </div>
    ))}
  </div>
)

function bringIntoView(place: HTMLDivElement | null, top: number, height: number): void {
  if (!place) return
  const seen = place.clientHeight - (place.firstElementChild?.clientHeight ?? 0)
  if (top < place.scrollTop) place.scrollTop = top
  else if (top + height > place.scrollTop + seen) place.scrollTop = top + height - seen
}

type ScrollAnchorOptions<T> = {
  readonly place: { readonly current: HTMLElement | null }
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string | number
  readonly height: number
}

/** Rows that come in above do not move what somebody is reading. */
function useScrollAnchor<T>({ place, rows, keyOf, height }: ScrollAnchorOptions<T>): void {
  const before = useRef(rows)
  useLayoutEffect(() => {
    const { current } = place
    const at = Math.floor((current?.scrollTop ?? 0) / height)
    const top = before.current[at]
    before.current = rows
    // At the top somebody looks at what is new.
    if (!current || current.scrollTop === 0 || top === undefined) return
    const now = rows.findIndex((row) => keyOf(row) === keyOf(top))
    if (now >= 0 && now !== at) current.scrollTop += (now - at) * height
  }, [rows])
}

type ScrollPosition = { readonly scrolled: number; readonly seen: number }

/** How far an element is scrolled and how much of it is seen, in pixels; `look` is to be called when it scrolls. */
function useScrollPosition(
  place: { readonly current: HTMLElement | null },
  onLook: (now: ScrollPosition) => void,
): ScrollPosition & { look: () => void } {
  const [view, setView] = useState<ScrollPosition>({ scrolled: 0, seen: 600 })
  const latest = useRef(onLook)
  latest.current = onLook
  function look(): void {
    const { scrollTop: scrolled = 0, clientHeight: seen = 600 } = place.current ?? {}
    setView((before) => (before.scrolled === scrolled && before.seen === seen ? before : { scrolled, seen }))
    latest.current({ scrolled, seen })
  }
  useLayoutEffect(() => {
    const watching = new ResizeObserver(look)
    if (place.current) watching.observe(place.current)
    return () => watching.disconnect()
  }, [])
  return { ...view, look }
}

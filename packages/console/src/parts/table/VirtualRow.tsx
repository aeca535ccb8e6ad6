// biome-ignore-all lint/a11y/useSemanticElements: laid out as a grid, a table loses its meaning in some browsers
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus stays at the grid, which says which row is meant
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the keys are handled by the grid
import type { Column } from './visible-rows.js'

type Props<T> = {
  readonly row: T
  readonly columns: readonly Column<T>[]
  /** Its place among all rows, from 0. */
  readonly at: number
  readonly height: number
  /** Its id, where the keys are at it. */
  readonly activeId: string | undefined
  /** Undefined where rows cannot be opened. */
  readonly isCurrent: boolean | undefined
  readonly onClick: (isOpening: boolean) => void
}

/** A row of `Rows`, at its place. */
export const VirtualRow = <T,>({ row, columns, at, height, activeId, isCurrent, onClick }: Props<T>) => (
  <div
    role="row"
    id={activeId}
    class={isCurrent === undefined ? 'row' : 'row can-open'}
    // The head is the first.
    aria-rowindex={at + 2}
    aria-selected={isCurrent}
    data-active={activeId !== undefined || undefined}
    style={{ transform: `translateY(${at * height}px)`, height: `${height}px` }}
    onClick={({ target }) => onClick(!isOfItsOwn(target))}
  >
    {columns.map(({ title, cell, wideOnly }) => (
      <div role="gridcell" key={title} class={wideOnly ? 'wide-only' : undefined}>
        {cell(row)}
      </div>
    ))}
  </div>
)

/** Buttons and links in a row do what they do, and do not open it. */
const isOfItsOwn = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('button, a, input, select') !== null

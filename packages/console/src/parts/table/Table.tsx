import type { ComponentChildren } from 'preact'

export type TableColumn<T> = {
  readonly head: ComponentChildren
  /** Class of the header and the cells. */
  readonly class?: string
  /** The column names the row. */
  readonly isName?: boolean
  readonly cell: (row: T, at: number) => ComponentChildren
}

type Props<T> = {
  readonly columns: readonly TableColumn<T>[]
  readonly rows: readonly T[]
  /** Caption for screen readers. */
  readonly caption?: string
  readonly class?: string
  readonly rowClass?: (row: T) => string | undefined
}

/** A table of limited length; use `VirtualTable` for more. */
export const Table = <T,>({ columns, rows, caption, class: own, rowClass }: Props<T>) => (
  <table class={own}>
    {caption !== undefined && <caption class="out-of-sight">{caption}</caption>}
    <thead>
      <tr>
        {columns.map(({ head, class: look }, at) => (
          <th scope="col" key={at} class={look}>
            {head}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row, at) => (
        <tr key={at} class={rowClass?.(row)}>
          {columns.map(({ class: look, isName, cell }, index) => {
            const Cell = isName ? 'th' : 'td'
            return (
              <Cell key={index} class={look} {...(isName && { scope: 'row' })}>
                {cell(row, at)}
              </Cell>
            )
          })}
        </tr>
      ))}
    </tbody>
  </table>
)

import type { ComponentChildren } from 'preact'

type Props = {
  /** Over its columns. */
  readonly heads: readonly ComponentChildren[]
  /** For those who do not see it. */
  readonly caption?: string
  /** Its rows. */
  readonly children: ComponentChildren
}

/** A table of what fits on the page; `Rows` is for more. */
export const Table = ({ heads, caption, children }: Props) => (
  <table>
    {caption !== undefined && <caption class="out-of-sight">{caption}</caption>}
    <thead>
      <tr>
        {heads.map((head, at) => (
          <th scope="col" key={at}>
            {head}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
)

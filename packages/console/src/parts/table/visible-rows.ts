// Which rows of a long list stand in the page.

const beyond = 8

/** The rows that can be seen, and a few before and after them; `last` is not included. */
export function visibleRows(scrolled: number, seen: number, rows: { readonly count: number; readonly height: number }) {
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

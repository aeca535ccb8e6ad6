/** Reads the records after one sequence and up to another, page by page. */
export async function* logPages<T extends { readonly sequence: number }>(
  read: (after: number) => readonly T[] | Promise<readonly T[]>,
  after: number,
  until: number,
): AsyncGenerator<readonly T[]> {
  let last = after
  while (last < until) {
    const page = await read(last)
    const end = page.at(-1)
    if (!end) return
    yield end.sequence > until ? page.filter(({ sequence }) => sequence <= until) : page
    last = end.sequence
  }
}

/** Like JSON.stringify, and a bigint is written as the integer it is; what has no JSON form is null. */
export function encodeJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown
    return encodeWithBigints(value)
  }
}

/** Plain JSON.stringify throws on a bigint, so each is written as a marked string and loses its quotes afterwards. */
function encodeWithBigints(value: unknown): string {
  // No string of the caller's can contain a mark made up after it was written.
  const mark = crypto.randomUUID()
  const marked = JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? mark + item : item))
  return marked.replace(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1')
}

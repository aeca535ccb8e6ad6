export const lineCount = (text: string): number => text.split('\n').length

/** Where a line, counted from 1, begins and ends; the last one where there are fewer. */
export function lineSpan(text: string, line: number): { readonly from: number; readonly to: number } {
  let from = 0
  for (let at = 1; at < line; at++) {
    const end = text.indexOf('\n', from)
    if (end < 0) break
    from = end + 1
  }
  const end = text.indexOf('\n', from)
  return { from, to: end < 0 ? text.length : end }
}

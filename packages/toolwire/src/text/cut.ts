/** The first `length` code units of a text, without splitting a surrogate pair. */
export function cut(text: string, length: number): string {
  const end = Math.max(0, length)
  const code = text.charCodeAt(end - 1)
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? end - 1 : end)
}

/** The text, shortened with an ellipsis if it is longer than `length`. */
export const capped = (text: string, length: number): string => (text.length <= length ? text : `${cut(text, length - 1)}…`)

/** The first characters of a text, and never half of one. */
export function cut(text: string, length: number): string {
  const end = Math.max(0, length)
  const code = text.charCodeAt(end - 1)
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? end - 1 : end)
}

/** The text, or as much of it as fits with an ellipsis. */
export const capped = (text: string, length: number): string => (text.length <= length ? text : `${cut(text, length - 1)}…`)

/** Names are a stranger's text: what they hide is shown. */
export const printable = (text: string): string =>
  text.slice(0, 128).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`)

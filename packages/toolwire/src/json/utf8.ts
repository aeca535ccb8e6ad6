// Decodes text strictly: a replacement character in place of a bad byte, or a byte order mark that is dropped, would make another text of it.
const strict = { fatal: true, ignoreBOM: true }
const utf8 = new TextDecoder('utf-8', strict)

/** Decodes bytes that are text, with any byte order mark. Throws a TypeError if they are not valid UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string => utf8.decode(bytes)

/** Decodes pieces of one text, wherever it is cut. */
export function decodePieces(pieces: readonly Uint8Array[]): string {
  const decoder = new TextDecoder('utf-8', strict)
  return pieces.map((piece) => decoder.decode(piece, { stream: true })).join('') + decoder.decode()
}

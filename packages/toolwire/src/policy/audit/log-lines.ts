/** Lines as strings, each with or without its end; or a whole file, as text or as bytes in pieces of any size. */
export type AuditLines = string | Uint8Array | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

/** One line, without its end; undefined where it is no text, or is torn. */
export type LogLine = string | undefined

const newline = 0x0a
/** No record is as long: what goes on for longer is no log. */
const mostBytes = 64 * 1_024 * 1_024

export async function* logLinesIn(source: AuditLines): AsyncGenerator<LogLine> {
  let open: Uint8Array[] = []
  let length = 0
  for await (const piece of piecesOf(source)) {
    if (typeof piece === 'string') {
      yield piece.endsWith('\n') ? piece.slice(0, -1) : piece
      continue
    }
    let begin = 0
    for (let end = piece.indexOf(newline); end >= 0; end = piece.indexOf(newline, begin)) {
      yield textOf([...open, piece.subarray(begin, end)])
      open = []
      length = 0
      begin = end + 1
    }
    length += piece.length - begin
    if (length > mostBytes) return yield undefined
    // A copy, because the reader of the file may reuse the memory for the next piece.
    if (begin < piece.length) open.push(piece.slice(begin))
  }
  // Its end was to be written together with it.
  if (open.length > 0) yield undefined
}

function piecesOf(source: AuditLines): Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array> {
  if (typeof source === 'string') return [new TextEncoder().encode(source)]
  return source instanceof Uint8Array ? [source] : source
}

/** Exactly the text: bytes that are no UTF-8 must not be taken for the sign that stands in for them. */
function textOf(pieces: readonly Uint8Array[]): LogLine {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    const text = pieces.map((piece) => utf8.decode(piece, { stream: true })).join('') + utf8.decode()
    return text === '' ? undefined : text
  } catch {
    return undefined
  }
}

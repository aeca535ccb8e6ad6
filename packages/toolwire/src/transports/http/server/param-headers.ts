// Headers that repeat arguments. Only code that knows the tool can tell which of them have a meaning.
// spec 2026-07-28, basic/transports/streamable-http#server-behavior-for-custom-headers

const prefix = 'mcp-param-'
const m = 0x6d

/** The `Mcp-Param-*` headers among all headers of a request (name, value, name, value), unchanged; requests with too many headers are refused earlier. */
export function paramHeadersIn(headers: readonly string[]): readonly string[] | undefined {
  let found: string[] | undefined
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? ''
    // Nearly all headers begin with another letter.
    if ((name.charCodeAt(0) | 0x20) !== m || !isParam(name)) continue
    const value = headers[at + 1] ?? ''
    found ??= []
    found.push(name, value)
  }
  return found
}

const isParam = (name: string): boolean => name.length > prefix.length && name.toLowerCase().startsWith(prefix)

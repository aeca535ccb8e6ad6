// Headers that repeat arguments. Which of them mean anything is for those to say who know the tool.
// spec 2026-07-28, basic/transports/streamable-http#server-behavior-for-custom-headers

const prefix = 'mcp-param-'
const m = 0x6d
/** How long all headers together may be is seen to where the request comes in. */
const most = 64

/** Those among all headers of a request (name, value, name, value), as they came and as far as they are not too many. */
export function paramHeadersIn(headers: readonly string[]): readonly string[] | undefined {
  let found: string[] | undefined
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? ''
    // Nearly all headers begin with another letter.
    if ((name.charCodeAt(0) | 0x20) !== m || !isParam(name)) continue
    const value = headers[at + 1] ?? ''
    found ??= []
    found.push(name, value)
    if (found.length === most * 2) break
  }
  return found
}

const isParam = (name: string): boolean => name.length > prefix.length && name.toLowerCase().startsWith(prefix)

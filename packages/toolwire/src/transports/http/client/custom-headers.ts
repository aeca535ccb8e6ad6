/** Headers that only the protocol or HTTP itself may set. */
const reserved: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'connection', 'content-encoding', 'content-length', 'content-type', 'expect', 'keep-alive'],
  ...['last-event-id', 'mcp-method', 'mcp-name', 'mcp-protocol-version', 'mcp-session-id', 'transfer-encoding', 'upgrade'],
])
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const forbidden = /[\0-\x08\x0a-\x1f\x7f]|[^\0-\xff]/

/** The headers that a user adds to every request: name, value, name, value. Throws if HTTP does not allow them. */
export function customHeaders(headers: Readonly<Record<string, string>> = {}): readonly string[] {
  return Object.entries(headers)
    .filter(([name]) => !isReserved(name.toLowerCase()))
    .flatMap(([name, value]) => {
      checkHeader(name, value)
      return [name, value]
    })
}

const isReserved = (name: string): boolean => reserved.has(name) || name.startsWith('mcp-param-')

/** Throws if HTTP does not allow the header; the error leaves out the value, which may be secret. */
export function checkHeader(name: string, value: string): void {
  if (!token.test(name)) throw new TypeError(`"${name}" is not a valid header name`)
  if (forbidden.test(value)) throw new TypeError(`The value of the header "${name}" holds characters that HTTP does not allow`)
}

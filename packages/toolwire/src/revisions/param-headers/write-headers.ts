// Writes the headers in which a client repeats parts of the body of a request.
// spec 2026-07-28, basic/transports/streamable-http#request-metadata
import type { JsonObject } from '../../json.js'
import { base64 } from '../../tools/content.js'
import { closing, headerNameOf, opening } from './check-headers.js'
import { argumentAt, type HeaderParam, isPlain } from './header-params.js'

/** `Mcp-Method` and `Mcp-Name` for a request: name, value, name, value. */
export function routingHeaders(method: string, params: JsonObject | undefined): string[] {
  const name = headerNameOf(method, params)
  return name === undefined ? ['mcp-method', method] : ['mcp-method', method, 'mcp-name', headerValue(name)]
}

/** `Mcp-Param-*` for the marked arguments that have a value. Throws if a value cannot be written. */
export function paramHeaders(params: readonly HeaderParam[], args: JsonObject): string[] {
  return params.flatMap(({ path, header }) => {
    const value = argumentAt(args, path)
    return isPlain(value) ? [`mcp-param-${header.toLowerCase()}`, headerValue(written(value, path))] : []
  })
}

function written(value: string | number | boolean, path: readonly string[]): string {
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw new RangeError(`${path.join('.')} travels in a header too, so it must be an integer within ±(2^53-1)`)
  return String(value)
}

/** Visible ASCII, with spaces only inside. */
const fits = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/

/** Writes a text as it is if a header can carry it, else in base64 between marks. Text that already has the marks is encoded, too. */
function headerValue(text: string): string {
  const looksEncoded = text.startsWith(opening) && text.endsWith(closing)
  return fits.test(text) && !looksEncoded ? text : `${opening}${base64(new TextEncoder().encode(text))}${closing}`
}

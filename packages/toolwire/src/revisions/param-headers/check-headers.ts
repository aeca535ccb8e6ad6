// Headers of the newest revision that repeat parts of the body, so that proxies need not read the body.
// spec 2026-07-28, basic/transports/streamable-http#request-metadata
import { decodeUtf8 } from '../../json/utf8.js'
import { isExactNumber, type JsonObject } from '../../json.js'
import { RpcError } from '../../jsonrpc/error.js'
import type { Request } from '../../jsonrpc/message.js'
import { isBase64 } from '../../tools/content.js'
import { protocolCodes } from '../protocol-codes.js'
import { argumentAt, type HeaderParam, isPlain } from './header-params.js'

const { headerMismatch } = protocolCodes
type Header = (name: string) => string | undefined

/** The parameter that `Mcp-Name` repeats, by method. */
const named: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
])

/** The value of `Mcp-Name` for a request, if it has one. */
export function headerNameOf(method: string, params: JsonObject | undefined): string | undefined {
  const field = named.get(method)
  const name = field && params?.[field]
  return typeof name === 'string' ? name : undefined
}

/** Refuses a request whose `Mcp-Method` or `Mcp-Name` is missing or differs from the body. */
export function checkRoutingHeaders(request: Request, header: Header): void {
  expect('Mcp-Method', request.method, header('mcp-method'))
  const name = headerNameOf(request.method, request.params)
  if (name !== undefined) expect('Mcp-Name', name, decode(header('mcp-name'), 'Mcp-Name'))
}

export function checkParamHeaders(params: readonly HeaderParam[], args: JsonObject, header: Header): void {
  for (const { path, header: name } of params) {
    const value = argumentAt(args, path)
    const sent = header(`mcp-param-${name.toLowerCase()}`)
    if (!isPlain(value)) {
      if (sent === undefined) continue
      throw new RpcError(headerMismatch, `The Mcp-Param-${name} header repeats an argument without a value`)
    }
    const given = decode(sent, `Mcp-Param-${name}`)
    if (typeof value === 'number' && given !== undefined && isSameInteger(given, value)) continue
    expect(`Mcp-Param-${name}`, String(value), given)
  }
}

/** Compares values, so that 42.0 is 42. Other parsers may read leading zeros as octal, so these are refused. */
const isSameInteger = (given: string, value: number): boolean =>
  /^-?(?:0|[1-9]\d*)(?:\.0+)?$/.test(given) && Number(given) === value && isExactNumber(given)

function expect(name: string, wanted: string, given: string | undefined): void {
  if (given === undefined) throw new RpcError(headerMismatch, `The ${name} header is missing`)
  if (given !== wanted) throw new RpcError(headerMismatch, `The ${name} header differs from the body`)
}

/** The marks around a base64-encoded header value. */
export const opening = '=?base64?'
export const closing = '?='

/** Decodes a header value: plain text, or `=?base64?…?=`. The blanks around a value, space and tab alone, were removed as it was received. */
function decode(given: string | undefined, name: string): string | undefined {
  if (!given?.startsWith(opening) || !given.endsWith(closing) || given.length < opening.length + closing.length)
    return checkPlain(given, name)
  const payload = given.slice(opening.length, -closing.length)
  if (!isBase64(payload)) throw new RpcError(headerMismatch, `The ${name} header holds broken base64`)
  try {
    return decodeUtf8(Uint8Array.from(atob(payload), (char) => char.charCodeAt(0)))
  } catch (cause) {
    throw new RpcError(headerMismatch, `The ${name} header holds base64 that is not text`, { cause })
  }
}

function checkPlain(value: string | undefined, name: string): string | undefined {
  if (value === undefined || /^[\t\x20-\x7e]*$/.test(value)) return value
  const why = `The ${name} header holds characters that a header cannot carry; send them as =?base64?…?=`
  throw new RpcError(headerMismatch, why)
}

// The format of a request between replicas: one line of JSON with its head, then its body.
import type { IncomingMessage } from 'node:http'
import { machine, type types } from 'toolwire/relay'
import { isObject } from '../../json/is-object.js'
import { jsonIn } from '../../json/json-in.js'

/** Headers that a replica needs to respond or to authenticate the caller. */
const forwardedHeaders = [
  ...['host', 'origin', 'sec-fetch-site', 'authorization', 'x-api-key', 'accept', 'content-type', 'user-agent'],
  ...['mcp-protocol-version', 'mcp-session-id', 'mcp-method', 'mcp-name', 'last-event-id'],
  // These show that a proxy is involved.
  ...machine.forwardingHeaders,
]

type Head = {
  readonly method: string
  readonly url: string
  /** Names and values alternate. */
  readonly headers: readonly string[]
  readonly remote?: string
  readonly port?: number
}

export function encodeForwarded({ exchange, body = '' }: types.ForwardedRequest): Uint8Array {
  const { method, path, query, remote, port } = exchange
  const headers = forwardedHeaders.flatMap((name) => {
    const value = exchange.header(name)
    return value === undefined ? [] : [name, value]
  })
  const url = query === '' ? path : `${path}?${query}`
  const head: Head = {
    ...{ method, url, headers: [...headers, ...(exchange.paramHeaders() ?? [])] },
    ...(remote !== undefined && { remote }),
    ...(port !== undefined && { port }),
  }
  return encodeMessage(head, body)
}

const encodeMessage = (head: Head, body: string): Uint8Array => Buffer.from(`${JSON.stringify(head)}\n${body}`)

/** A request of this replica itself. */
export const encodeOwn = (path: string, json: object): Uint8Array =>
  encodeMessage({ method: 'POST', url: path, headers: [] }, JSON.stringify(json))

/** The request as the other replica received it; undefined if the bytes are not valid. */
export function decodeForwarded(carrier: IncomingMessage, bytes: Buffer): ForwardedNodeRequest | undefined {
  const end = bytes.indexOf('\n')
  const head = end < 0 ? undefined : headOf(bytes.subarray(0, end).toString())
  if (!head) return undefined
  const own = {
    method: head.method,
    url: head.url,
    headers: headersOf(head.headers),
    rawHeaders: head.headers,
    socket: { remoteAddress: head.remote, localPort: head.port },
    body: bytes.subarray(end + 1),
    forwarded: true,
  }
  // All other members, such as events of the connection, come from the carrying request.
  const members = Object.entries(own).map(([name, value]) => [name, { value, enumerable: true }] as const)
  return Object.create(carrier, Object.fromEntries(members)) as ForwardedNodeRequest
}

export type ForwardedNodeRequest = IncomingMessage & { readonly body: Uint8Array; readonly forwarded: true; readonly url: string }

/** Undefined if the replica has another version and uses another format. */
function headOf(text: string): Head | undefined {
  const head = jsonIn(text)
  if (!isObject(head)) return undefined
  const { method, url, headers, remote, port } = head
  if (typeof method !== 'string' || typeof url !== 'string' || !Array.isArray(headers)) return undefined
  if (!headers.every((one) => typeof one === 'string')) return undefined
  return {
    ...{ method, url, headers },
    ...(typeof remote === 'string' && { remote }),
    ...(typeof port === 'number' && { port }),
  }
}

function headersOf(raw: readonly string[]): { readonly [name: string]: string } {
  const headers = new Map<string, string>()
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]?.toLowerCase() ?? ''
    const value = raw[at + 1] ?? ''
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(headers)
}

// The shop behind a proxy that changes one aspect of its requests or responses.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { JsonObject } from 'toolwire'
import { frontOf } from './http-front.js'
import { shop } from './shop.js'

/** A request as received, and as forwarded. */
export type ProxyRequest = { method: string; headers: Record<string, string>; body: Buffer }
/** A response. With `open`, the response does not end. */
export type ProxyResponse = { status: number; headers: Record<string, string>; text: string; open?: boolean }

export type Fault = {
  /** The proxy waits for this promise before it answers. */
  readonly before?: (request: ProxyRequest) => Promise<void>
  /** Changes the request before it is forwarded. */
  readonly changeRequest?: (request: ProxyRequest, message: JsonObject) => Partial<ProxyRequest> | undefined
  /** Answers a request in place of the server. */
  readonly instead?: (request: ProxyRequest, message: JsonObject) => Partial<ProxyResponse> | undefined
  /** Replaces a message of the server; undefined drops it. */
  readonly changeMessage?: (reply: JsonObject, message: JsonObject) => JsonObject | undefined
  /** Returns true to refuse a connection, by the raw beginning of its request. */
  readonly refuses?: (head: string) => boolean
  readonly changeResponse?: (
    reply: ProxyResponse,
    message: JsonObject,
    request: ProxyRequest,
  ) => Partial<ProxyResponse> | undefined
}

export async function faulty(fault: Fault) {
  const app = shop()
  const server = createServer({ maxHeaderSize: 256 * 1024 }, (req, res) => {
    serve(req, res).catch(() => res.destroy()) // the client has disconnected
  })
  const serve = async (req: IncomingMessage, res: ServerResponse) => {
    const first = await requestFrom(req)
    await fault.before?.(first)
    const message = messageIn(first.body)
    const request = { ...first, ...fault.changeRequest?.(first, message) }
    const instead = fault.instead?.(request, message)
    if (instead) return answer(res, { status: 200, headers: { 'content-type': 'application/json' }, text: '', ...instead })
    const response = await app.fetch(requestOf(request))
    if (request.method === 'GET' && response.body) return stream(response, res)
    const reply = { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() }
    const changed = { ...reply, text: rewritten(reply, (one) => (fault.changeMessage ? fault.changeMessage(one, message) : one)) }
    answer(res, { ...changed, ...fault.changeResponse?.(changed, message, request) })
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // a TCP server has a port
  const front = fault.refuses && (await frontOf(port, fault.refuses))
  const close = async () => {
    front?.close()
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${front?.port ?? port}/mcp`, [Symbol.asyncDispose]: close }
}

async function requestFrom(req: IncomingMessage): Promise<ProxyRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  const headers = Object.fromEntries(Object.entries(req.headers).map(([name, value]) => [name, String(value)]))
  return { method: req.method ?? 'POST', headers, body: Buffer.concat(chunks) }
}

function requestOf({ method, headers, body }: ProxyRequest): Request {
  const { connection: _, 'content-length': __, ...kept } = headers
  return new Request('http://127.0.0.1/mcp', { method, headers: kept, ...(method === 'POST' && { body: new Uint8Array(body) }) })
}

/** The message in a body, or an empty message if the body has none. */
export function messageIn(body: Buffer): JsonObject {
  try {
    return JSON.parse(body.toString())
  } catch {
    return {}
  }
}

/** Replaces every message of a response, in JSON or in events. */
function rewritten({ headers, text }: ProxyResponse, changeMessage: (one: JsonObject) => JsonObject | undefined): string {
  if (headers['content-type']?.startsWith('text/event-stream'))
    return text.replace(/^data: (\{.*)$/gm, (_, data) => {
      const reply = changeMessage(JSON.parse(data))
      return reply ? `data: ${JSON.stringify(reply)}` : ': nothing'
    })
  const value = text === '' ? undefined : JSON.parse(text)
  if (Array.isArray(value)) return JSON.stringify(value.flatMap((one) => changeMessage(one) ?? []))
  return value === undefined ? '' : JSON.stringify(changeMessage(value) ?? {})
}

function answer(res: ServerResponse, { status, headers, text, open }: ProxyResponse): void {
  const { 'content-length': _, ...kept } = headers
  res.writeHead(status, kept).write(text)
  if (!open) res.end()
}

function stream(response: Response, res: ServerResponse): void {
  res.writeHead(response.status, Object.fromEntries(response.headers))
  res.flushHeaders()
  if (response.body) Readable.fromWeb(response.body as never).pipe(res) // the types of Node and of the web differ only in name
}

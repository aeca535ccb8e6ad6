// The shop behind a door that changes one thing of what goes in or comes out.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { JsonObject } from 'toolwire'
import { frontOf } from './http-front.js'
import { shop } from './shop.js'

/** A request as it came, and as it goes on. */
export type Asked = { method: string; headers: Record<string, string>; body: Buffer }
/** `open`: nothing ends it. */
export type Said = { status: number; headers: Record<string, string>; text: string; open?: boolean }

export type Fault = {
  /** Waited for before anything is said. */
  readonly before?: (asked: Asked) => Promise<void>
  /** The request that goes on instead. */
  readonly hear?: (asked: Asked, message: JsonObject) => Partial<Asked> | undefined
  /** A request that is answered at the door. */
  readonly instead?: (asked: Asked, message: JsonObject) => Partial<Said> | undefined
  /** A message that is said instead; undefined swallows it. */
  readonly say?: (said: JsonObject, message: JsonObject) => JsonObject | undefined
  /** Whether the connection is refused for what its request begins with, as it came. */
  readonly refuses?: (head: string) => boolean
  readonly reply?: (said: Said, message: JsonObject, asked: Asked) => Partial<Said> | undefined
}

export async function faulty(fault: Fault) {
  const app = shop()
  const server = createServer({ maxHeaderSize: 256 * 1024 }, (req, res) => {
    serve(req, res).catch(() => res.destroy()) // whoever asked has gone
  })
  const serve = async (req: IncomingMessage, res: ServerResponse) => {
    const first = await askedBy(req)
    await fault.before?.(first)
    const message = messageIn(first.body)
    const asked = { ...first, ...fault.hear?.(first, message) }
    const instead = fault.instead?.(asked, message)
    if (instead) return answer(res, { status: 200, headers: { 'content-type': 'application/json' }, text: '', ...instead })
    const response = await app.fetch(requestOf(asked))
    if (asked.method === 'GET' && response.body) return stream(response, res)
    const said = { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() }
    const changed = { ...said, text: rewritten(said, (one) => (fault.say ? fault.say(one, message) : one)) }
    answer(res, { ...changed, ...fault.reply?.(changed, message, asked) })
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // a TCP server has one
  const front = fault.refuses && (await frontOf(port, fault.refuses))
  const close = async () => {
    front?.close()
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${front?.port ?? port}/mcp`, [Symbol.asyncDispose]: close }
}

async function askedBy(req: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  const headers = Object.fromEntries(Object.entries(req.headers).map(([name, value]) => [name, String(value)]))
  return { method: req.method ?? 'POST', headers, body: Buffer.concat(chunks) }
}

function requestOf({ method, headers, body }: Asked): Request {
  const { connection: _, 'content-length': __, ...kept } = headers
  return new Request('http://127.0.0.1/mcp', { method, headers: kept, ...(method === 'POST' && { body: new Uint8Array(body) }) })
}

/** The message in a body; an empty one if there is none. */
export function messageIn(body: Buffer): JsonObject {
  try {
    return JSON.parse(body.toString())
  } catch {
    return {}
  }
}

/** What is said, message by message, in JSON or in events. */
function rewritten({ headers, text }: Said, say: (one: JsonObject) => JsonObject | undefined): string {
  if (headers['content-type']?.startsWith('text/event-stream'))
    return text.replace(/^data: (\{.*)$/gm, (_, data) => {
      const said = say(JSON.parse(data))
      return said ? `data: ${JSON.stringify(said)}` : ': nothing'
    })
  const value = text === '' ? undefined : JSON.parse(text)
  if (Array.isArray(value)) return JSON.stringify(value.flatMap((one) => say(one) ?? []))
  return value === undefined ? '' : JSON.stringify(say(value) ?? {})
}

function answer(res: ServerResponse, { status, headers, text, open }: Said): void {
  const { 'content-length': _, ...kept } = headers
  res.writeHead(status, kept).write(text)
  if (!open) res.end()
}

function stream(response: Response, res: ServerResponse): void {
  res.writeHead(response.status, Object.fromEntries(response.headers))
  res.flushHeaders()
  if (response.body) Readable.fromWeb(response.body as never).pipe(res) // the types of Node and of the web differ in name only
}

// A scripted HTTP server, and a listener for a client transport.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { ClientTransport, OutgoingMessage, TransportError, TransportListener } from '../../src/peer/client-transport.js'
import { revisions } from '../../src/revisions/index.js'
import type { Revision } from '../../src/revisions/revision.js'
import { type HttpEndpointOptions, httpEndpoint } from '../../src/transports/http/client/http-endpoint.js'
import { afterEachTest } from '../each-test.js'
import { until } from '../waiting.js'

/** Both HTTP clients must behave in the same way. */
export const carriers: readonly [string, HttpEndpointOptions][] = [
  ['undici', {}],
  ['fetch', { fetch: (request) => fetch(request) }],
]

export const revisionOf = (version: string): Revision => {
  const found = revisions.find((revision) => revision.version === version)
  if (!found) throw new Error(`no revision ${version}`)
  return found
}
export const modern = revisionOf('2026-07-28')
export const sessions = revisionOf('2025-11-25')

type ReceivedMessage = Parameters<TransportListener['hear']>[0]

/** Records all events, and lets a test wait for them. */
export class RecordingListener implements TransportListener {
  readonly messages: ReceivedMessage[] = []
  readonly losses: { id: number; why: TransportError }[] = []
  readonly ends: TransportError[] = []
  readonly warnings: string[] = []
  misses = 0

  hear(message: ReceivedMessage): void {
    this.messages.push(message)
  }

  lost(id: number, why: TransportError): void {
    this.losses.push({ id, why })
  }

  ended(why: TransportError): void {
    this.ends.push(why)
  }

  missed(): void {
    this.misses++
  }

  warn(text: string): void {
    this.warnings.push(text)
  }

  get responses() {
    return this.messages.flatMap((message) => (message.kind === 'response' ? [message.response] : []))
  }

  get everything(): string {
    const losses = this.losses.map(({ why }) => `${why.message} ${JSON.stringify(why)} ${String(why.stack)} ${String(why.cause)}`)
    return [...losses, ...this.warnings, ...this.ends.map(String)].join('\n')
  }

  async answer(id: number) {
    await until(() => this.responses.some((response) => response.id === id) || this.losses.some((loss) => loss.id === id))
    const response = this.responses.find((one) => one.id === id)
    if (!response) throw this.losses.find((loss) => loss.id === id)?.why
    return response
  }

  async loss(id: number): Promise<TransportError> {
    await until(() => this.losses.some((loss) => loss.id === id) || this.responses.some((response) => response.id === id))
    const loss = this.losses.find((one) => one.id === id)
    if (!loss) throw new Error('it was answered')
    return loss.why
  }
}

export { pause, until } from '../waiting.js'

export type Seen = {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
  at: number
  closed: boolean
}
export type Script = (seen: Seen, response: ServerResponse, count: number) => void

export type ScriptedHttpServer = { url: URL; seen: Seen[]; sockets: Set<Socket>; close(): Promise<void> }

const closers: (() => unknown)[] = []
afterEachTest(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** A server that follows the script; `count` is the number of earlier requests. */
export async function scriptedHttpServer(script: Script, path = '/mcp'): Promise<ScriptedHttpServer> {
  const seen: Seen[] = []
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const one: Seen = {
        method,
        path: url,
        headers,
        body: Buffer.concat(chunks).toString(),
        at: performance.now(),
        closed: false,
      }
      response.on('close', () => {
        one.closed = true
      })
      seen.push(one)
      script(one, response, seen.length - 1)
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  closers.push(close)
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`), seen, sockets, close }
}

export type Dialled = { link: ClientTransport; listener: RecordingListener }

/** A transport to the server, which is closed at the end of the test. */
export async function dial(url: URL, options: HttpEndpointOptions = {}, way = httpEndpoint): Promise<Dialled> {
  const listener = new RecordingListener()
  const link = await way(url, options).dial(listener)
  closers.push(() => link.close())
  return { link, listener }
}

export const request = (id: number, method = 'tools/list', revision: Revision = modern): OutgoingMessage => ({
  text: JSON.stringify({ jsonrpc: '2.0', id, method }),
  id,
  method,
  revision,
})

export const notice = (method: string, revision: Revision = modern): OutgoingMessage => ({
  text: JSON.stringify({ jsonrpc: '2.0', method }),
  method,
  revision,
})

export const initialize = (id = 1): OutgoingMessage => request(id, 'initialize', sessions)

export const answerTo = (body: string): object => ({ jsonrpc: '2.0', id: JSON.parse(body).id, result: { ok: true } })

export function json(response: ServerResponse, value: unknown, headers: Record<string, string> = {}, status = 200): void {
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(typeof value === 'string' ? value : JSON.stringify(value))
}

export function events(response: ServerResponse, text: string, headers: Record<string, string> = {}): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers })
  response.write(text)
  return response
}

export const event = (message: unknown, { id, retry }: { id?: string; retry?: number } = {}): string =>
  `${id === undefined ? '' : `id: ${id}\n`}${retry === undefined ? '' : `retry: ${retry}\n`}data: ${message === '' ? '' : JSON.stringify(message)}\n\n`

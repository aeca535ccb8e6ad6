import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Served } from '../../peer/application.js'
import { fault } from '../../tools/fault.js'
import { Endpoint } from './endpoint.js'
import { NodeExchange } from './node-exchange.js'
import type { HttpOptions } from './options.js'
import { refuse } from './refusal.js'

export type ListenOptions = HttpOptions & {
  /** 0 or nothing for any free one. */
  readonly port?: number
  /** 127.0.0.1 if not said. */
  readonly host?: string
  /** Where the endpoint is; `/mcp` if not said. */
  readonly path?: string
  /** Needed to serve other machines without `authenticate`. */
  readonly allowUnauthenticated?: boolean
  /** Whether SIGTERM and SIGINT close it and then end the process; yes if not said. */
  readonly signals?: boolean
  readonly timeouts?: { readonly headersMs?: number; readonly requestMs?: number; readonly keepAliveMs?: number }
}

export type Listening = {
  readonly port: number
  readonly host: string
  readonly url: string
  /** Takes no more, lets what is in flight finish for up to ten seconds, then closes. */
  close(): Promise<void>
}

const drainMs = 10_000
const checkMs = 1_000
const local: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost'])

/** Serves over HTTP, to this machine only unless told otherwise. */
export async function listen(served: Served, options: ListenOptions = {}): Promise<Listening> {
  const { host = '127.0.0.1', port = 0, path = '/mcp' } = options
  if (!local.has(host) && !options.authenticate && !options.allowUnauthenticated) {
    throw fault(
      `Other machines can reach ${host}: give "authenticate", or "allowUnauthenticated: true" if everyone may call these tools`,
    )
  }
  const app = served['~application']
  const endpoint = new Endpoint(app, { ...options, hosts: hostsOf(options, host) })
  const server = httpServer(options, routes(endpoint, path, options.legacySse === true))
  await started(server, port, host)
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= shut(server, async () => {
      await app.drain(drainMs)
      endpoint.close()
    })
    return closing
  }
  if (options.signals !== false) closeOnSignals(server, close)
  const bound = (server.address() as AddressInfo).port // a TCP server has an AddressInfo
  return { port: bound, host, url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}${path}`, close }
}

/** The address it listens on is a name of ours, too. */
function hostsOf({ hosts = [] }: ListenOptions, host: string): HttpOptions['hosts'] {
  return hosts === 'any' ? hosts : [...hosts, host.includes(':') ? `[${host}]` : host]
}

function httpServer({ timeouts = {}, limits }: ListenOptions, listener: RequestListener): Server {
  const { headersMs = 10_000, requestMs = 30_000, keepAliveMs = 5_000 } = timeouts
  return createServer(
    {
      maxHeaderSize: limits?.headerBytes ?? 16 * 1024,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: Math.min(checkMs, headersMs, requestMs),
    },
    listener,
  )
}

function routes(endpoint: Endpoint, path: string, legacySse: boolean): RequestListener {
  return (req, res) => {
    const exchange = new NodeExchange(req, res)
    const asked = exchange.path
    if (asked === path || (legacySse && (asked === '/sse' || asked === '/messages'))) endpoint.handle(exchange)
    else if (asked === '/health') exchange.respond(200, { 'content-type': 'application/json' }, '{"status":"ok"}')
    else refuse(exchange, { status: 404, message: `There is nothing here; the endpoint is ${path}` })
  }
}

function started(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

async function shut(server: Server, drain: () => Promise<void>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  await drain()
  server.closeIdleConnections()
  // What has just been answered still has to leave.
  const last = setTimeout(() => server.closeAllConnections(), checkMs)
  await closed
  clearTimeout(last)
}

function closeOnSignals(server: Server, close: () => Promise<void>): void {
  const stop = () => void close().then(() => process.exit())
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
  server.once('close', () => {
    process.off('SIGTERM', stop)
    process.off('SIGINT', stop)
  })
}

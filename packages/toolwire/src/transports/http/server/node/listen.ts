import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Served } from '../../../../peer/application.js'
import { definitionError } from '../../../../tools/checks/definition-error.js'
import { checkOptions, optionsOf } from '../../../../tools/checks/known-options.js'
import { atLeast, someText, trueOrFalse, wholeNumber } from '../../../../tools/checks/option-values.js'
import { surviveRejections } from '../../../survive-rejections.js'
import { refuse, refuseWhileClosing } from '../http-refusal.js'
import { type McpEndpoint, mcpEndpoint } from '../mcp-endpoint.js'
import { checkHttpOptions, type HttpOptions } from '../options.js'
import { NodeExchange } from './node-exchange.js'
import { strictServer } from './strict-server.js'

/** The address to listen on, and the options of the endpoint. */
export type ListenOptions = HttpOptions & {
  /** 0 or undefined picks a free port. */
  readonly port?: number
  /** 127.0.0.1 by default; `localhost` means every address that it has on this machine. */
  readonly host?: string
  /** The path of the endpoint; `/mcp` by default. */
  readonly path?: string
  /** Needed to serve other machines without `authenticate`. */
  readonly allowUnauthenticated?: boolean
  /**
   * Handles events of the process, by default: SIGTERM and SIGINT close the server and then end the process, and an unhandled rejection is
   * reported instead of ending everything.
   */
  readonly signals?: boolean
  readonly timeouts?: { readonly headersMs?: number; readonly requestMs?: number; readonly keepAliveMs?: number }
}

/** A running server. */
export type Listening = {
  readonly port: number
  readonly host: string
  readonly url: string
  /** Refuses further requests, waits up to ten seconds for requests in flight, then closes. */
  close(): Promise<void>
}

const legacyPaths: ReadonlySet<string> = new Set(['/sse', '/messages'])
const drainMs = 10_000
const leavingMs = 1_000
const local: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost'])

const own = optionsOf<Omit<ListenOptions, keyof HttpOptions>>()('timeouts', {
  port: wholeNumber(0),
  'host path': someText,
  'allowUnauthenticated signals': trueOrFalse,
})
const timeouts = optionsOf<NonNullable<ListenOptions['timeouts']>>()({ 'headersMs requestMs keepAliveMs': atLeast(0) })

/**
 * Serves over HTTP, by default to this machine only.
 *
 * @example
 * ```ts
 * const { url, close } = await listen(app, { port: 3000 })
 * ```
 */
export async function listen(served: Served, options: ListenOptions = {}): Promise<Listening> {
  checkHttpOptions('listen()', options, own)
  checkOptions('`timeouts`', options.timeouts, timeouts)
  const { host = '127.0.0.1', port = 0, path = '/mcp' } = options
  if (!local.has(host) && !options.authenticate && !options.allowUnauthenticated) {
    throw definitionError(
      `Other machines can reach ${host}: give "authenticate", or "allowUnauthenticated: true" if everyone may call these tools`,
    )
  }
  const app = served['~application']
  let closing: Promise<void> | undefined
  const isClosing = () => closing !== undefined
  const endpoint = mcpEndpoint(app, { ...options, hosts: hostsOf(options, host) }, isClosing)
  const listener = refusingSessions(routes(endpoint, path, options.legacySse === true), isClosing)
  const { headerBytes, stallMs } = endpoint.limits
  const bounds = { ...options.timeouts, headerBytes, stallMs }
  // Clients may try either address of localhost first, so both are served.
  const addresses = host === 'localhost' ? ['127.0.0.1', '::1'] : [host]
  const servers = await startAll(() => strictServer(bounds, listener), port, addresses)
  const release = options.signals === false ? () => {} : surviveRejections()
  const close = () => {
    closing ??= closeServers(servers, async () => {
      await app.drain(drainMs)
      endpoint.close()
    }).then(release)
    return closing
  }
  if (options.signals !== false) closeOnSignals(servers, close)
  const bound = portOf(servers[0])
  return { port: bound, host, url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}${path}`, close }
}

/** Adds the address that the server listens on to the allowed hosts. */
const hostsOf = ({ hosts = [] }: ListenOptions, host: string): HttpOptions['hosts'] =>
  hosts === 'any' || local.has(host) ? hosts : [...hosts, host.includes(':') ? `[${host}]` : host]

function routes(endpoint: McpEndpoint, path: string, legacySse: boolean): RequestListener {
  return (req, res) => {
    const exchange = new NodeExchange(req, res)
    const asked = exchange.path
    if (asked === path || (legacySse && legacyPaths.has(asked)) || endpoint.publishes(asked)) endpoint.handle(exchange)
    else if (asked === '/health') exchange.respond(200, { 'content-type': 'application/json' }, '{"status":"ok"}')
    else refuse(exchange, { status: 404, message: `There is nothing here; the endpoint is ${path}` })
  }
}

/**
 * While the server closes, answers 503 on connections that are still open, so that their requests are retried elsewhere. Messages of
 * sessions are read, because they may answer a question of a running call or cancel it.
 */
function refusingSessions(listener: RequestListener, isClosing: () => boolean): RequestListener {
  return (req, res) => {
    if (!isClosing()) return listener(req, res)
    res.setHeader('connection', 'close')
    const isMessage = req.method === 'POST' && (req.headers['mcp-session-id'] !== undefined || req.url?.startsWith('/messages'))
    if (isMessage) return listener(req, res)
    refuseWhileClosing(new NodeExchange(req, res))
  }
}

/** One server for each address, all on the same port. */
async function startAll(make: () => Server, port: number, addresses: readonly string[]): Promise<Server[]> {
  const servers: Server[] = []
  try {
    for (const address of addresses) {
      const server = make()
      if (await started(server, portOf(servers[0]) || port, address)) servers.push(server)
    }
  } catch (thrown) {
    for (const server of servers) server.close()
    throw thrown
  }
  if (servers.length === 0) throw definitionError(`This machine has no address ${addresses.join(', ')}`)
  return servers
}

/** The port of a TCP server; 0 if there is no server. */
const portOf = (server: Server | undefined): number => (server?.address() as AddressInfo | undefined)?.port ?? 0 // of a TCP server

/** False if the machine has no such address. */
async function started(server: Server, port: number, host: string): Promise<boolean> {
  try {
    await once(server.listen(port, host), 'listening')
    return true
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException // servers emit such errors
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return false
    throw thrown
  }
}

async function closeServers(servers: readonly Server[], drain: () => Promise<void>): Promise<void> {
  const closed = Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))))
  await drain()
  for (const server of servers) server.closeIdleConnections()
  // Responses that have just been written need time to be sent.
  const last = setTimeout(() => {
    for (const server of servers) server.closeAllConnections()
  }, leavingMs)
  await closed
  clearTimeout(last)
}

function closeOnSignals([server]: readonly Server[], close: () => Promise<void>): void {
  const stop = () => void close().then(() => process.exit())
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.once(signal, stop)
    server?.once('close', () => process.off(signal, stop))
  }
}

import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Served } from '../../../../peer/application.js'
import { definitionError } from '../../../../tools/checks/definition-error.js'
import { checkOptions, optionsOf } from '../../../../tools/checks/known-options.js'
import { surviveRejections } from '../../../survive-rejections.js'
import { refuse } from '../http-refusal.js'
import { type McpEndpoint, mcpEndpoint } from '../mcp-endpoint.js'
import { checkHttpOptions, type HttpOptions } from '../options.js'
import { NodeExchange } from './node-exchange.js'
import { strictServer } from './strict-server.js'

/** Where to listen, and how the endpoint serves. */
export type ListenOptions = HttpOptions & {
  /** 0 or nothing for any free one. */
  readonly port?: number
  /** 127.0.0.1 if not said; `localhost` stands for every address that it has on this machine. */
  readonly host?: string
  /** Where the endpoint is; `/mcp` if not said. */
  readonly path?: string
  /** Needed to serve other machines without `authenticate`. */
  readonly allowUnauthenticated?: boolean
  /**
   * Whether it looks after the process: SIGTERM and SIGINT close it and then end the process, and a rejection that a handler
   * dropped is reported instead of ending everything. Yes if not said.
   */
  readonly signals?: boolean
  readonly timeouts?: { readonly headersMs?: number; readonly requestMs?: number; readonly keepAliveMs?: number }
}

/** A server that listens. */
export type Listening = {
  readonly port: number
  readonly host: string
  readonly url: string
  /** Takes no more, lets what is in flight finish for up to ten seconds, then closes. */
  close(): Promise<void>
}

const legacyPaths: ReadonlySet<string> = new Set(['/sse', '/messages'])
const drainMs = 10_000
const leavingMs = 1_000
const local: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost'])

const own = optionsOf<Omit<ListenOptions, keyof HttpOptions>>()('port host path allowUnauthenticated signals timeouts')
const timeouts = optionsOf<NonNullable<ListenOptions['timeouts']>>()('headersMs requestMs keepAliveMs')

/**
 * Serves over HTTP, to this machine only unless told otherwise.
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
  const endpoint = mcpEndpoint(app, { ...options, hosts: hostsOf(options, host) })
  const listener = routes(endpoint, path, options.legacySse === true)
  const { headerBytes, stallMs } = endpoint.limits
  const bounds = { ...options.timeouts, headerBytes, stallMs }
  // A client may try either address of localhost first, so both are served.
  const addresses = host === 'localhost' ? ['127.0.0.1', '::1'] : [host]
  const servers = await startAll(() => strictServer(bounds, listener), port, addresses)
  const release = options.signals === false ? () => {} : surviveRejections()
  let closing: Promise<void> | undefined
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

/** The address it listens on is a name of ours, too. */
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

/** 0 as long as there is no server. */
const portOf = (server: Server | undefined): number => (server?.address() as AddressInfo | undefined)?.port ?? 0 // of a TCP server

/** False when the machine has no such address. */
async function started(server: Server, port: number, host: string): Promise<boolean> {
  try {
    await once(server.listen(port, host), 'listening')
    return true
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException // what a server emits
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return false
    throw thrown
  }
}

async function closeServers(servers: readonly Server[], drain: () => Promise<void>): Promise<void> {
  const closed = Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))))
  await drain()
  for (const server of servers) server.closeIdleConnections()
  // What has just been answered still has to leave.
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

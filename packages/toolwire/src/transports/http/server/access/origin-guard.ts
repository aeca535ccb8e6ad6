// A browser lets any web page send requests to any address, local servers included. Host and Origin reveal such requests.
// spec 2025-11-25, basic/transports#security-warning
import { loopbackHosts } from '../../../../tools/checks/secure-url.js'
import type { HttpExchange, HttpHeaders } from '../http-exchange.js'
import type { HttpRefusal } from '../http-refusal.js'
import type { HttpOptions } from '../options.js'

/**
 * True if a Host header names this machine. A port in it must be the one that the request came to, if that port is known.
 *
 * @example
 * ```ts
 * machine.isLoopbackHost('localhost:4180', 4180)
 * ```
 */
export function isLoopbackHost(host: string, port: number | undefined): boolean {
  const name = withoutPort(host)
  if (!loopbackHosts.has(name)) return false
  return port === undefined || name === host || host === `${name}:${port}`
}

/** Returns a check that refuses requests for foreign hosts, or from web pages that are not allowed. */
export function originGuard({ hosts = [], origins = [] }: HttpOptions): (exchange: HttpExchange) => HttpRefusal | undefined {
  const ownHosts = hosts === 'any' ? hosts : new Set(hosts.map((host) => host.toLowerCase()))
  const callers = new Set(origins.map((origin) => origin.toLowerCase()))
  const isOurs = (host: string, port: number | undefined): boolean =>
    ownHosts === 'any' || isLoopbackHost(host, port) || ownHosts.has(host) || ownHosts.has(withoutPort(host))
  const mayCall = (origin: string): boolean =>
    callers.has(origin) || loopbackHosts.has(withoutPort(origin.replace(/^https?:\/\//, '')))
  return (exchange) => {
    const host = exchange.header('host')
    if (!isOurs(host?.toLowerCase() ?? '', exchange.port))
      return forbidden(
        `The host ${quoted(host)} is not served here; add it to the option "hosts", or to "allowedHosts" of a gateway`,
      )
    const origin = exchange.header('origin')
    if (origin === undefined) return isFromAnotherSite(exchange) ? foreign : undefined
    if (!mayCall(origin.toLowerCase()))
      return forbidden(
        `Pages of ${quoted(origin)} may not call this server; add them to the option "origins", or to "allowedOrigins" of a gateway`,
      )
    exchange.commonHeaders = corsHeaders(origin)
    return undefined
  }
}

const forbidden = (message: string): HttpRefusal => ({ status: 403, message })

/** Pages may load images and scripts from anywhere, and browsers send no Origin with such requests. */
function isFromAnotherSite({ header }: HttpExchange): boolean {
  const site = header('sec-fetch-site')
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}

const foreign = forbidden('Cross-site request without an Origin header. Send Origin and allow it with the option "origins".')

/** Answers a browser's preflight request, which the guard has admitted. Credentials may come in the given headers. */
export function preflight(exchange: HttpExchange, methods: string, credentials: readonly string[] = []): void {
  const requested = exchange.header('access-control-request-headers')
  exchange.respond(204, {
    'access-control-allow-methods': methods,
    'access-control-allow-headers': [known, ...credentials, ...mirrored(requested)].join(', '),
    'access-control-max-age': '7200',
  })
}

const known = 'Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID'

/** The requested headers that repeat parameters. */
const mirrored = (requested = ''): string[] =>
  requested
    .split(',')
    .map((name) => name.trim())
    .filter((name) => /^mcp-param-[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name))

const corsHeaders = (origin: string): HttpHeaders => ({
  'access-control-allow-origin': origin,
  'access-control-expose-headers': 'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After',
  vary: 'Origin',
})

const withoutPort = (host: string) => host.replace(/:\d+$/, '')
const quoted = (text = '') => JSON.stringify(text.slice(0, 100))

import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { longestTimer } from '../../../../bounds/longest-timer.js'
import { checkOptions, optionsOf } from '../../../../tools/checks/known-options.js'
import { atLeast } from '../../../../tools/checks/option-values.js'
import { closingRefusal, type HttpRefusal, mostHeaders, refuse, tooManyHeaders } from '../http-refusal.js'
import { defaultHttpLimits } from '../options.js'
import { NodeExchange } from './node-exchange.js'
import { closeWithConnection } from './pipelined-responses.js'

/** Timeouts and size limits for clients. */
export type ServerBounds = {
  readonly headerBytes?: number
  readonly headersMs?: number
  readonly requestMs?: number
  readonly keepAliveMs?: number
  /** Milliseconds for which a client may leave written data unread. */
  readonly stallMs?: number
}

const known = optionsOf<ServerBounds>()({ 'headerBytes headersMs requestMs keepAliveMs stallMs': atLeast(0) })

/** Interval of the checks of connections: no timeout is exceeded by more than this. */
const checkEveryMs = 1_000

/**
 * A `node:http` server that refuses requests of which Node would drop headers, and that enforces its timeouts promptly.
 *
 * @example
 * ```ts
 * const http = (bounds: Parameters<typeof strictServer>[0]) => strictServer(bounds, (_request, response) => response.end())
 * ```
 */
export function strictServer(bounds: ServerBounds, listener: RequestListener): Server {
  checkOptions('strictServer()', bounds, known)
  const {
    headerBytes = defaultHttpLimits.headerBytes,
    headersMs = 10_000,
    requestMs = 30_000,
    keepAliveMs = 5_000,
    stallMs = defaultHttpLimits.stallMs,
  } = bounds
  const isFlood = pipelineLimit()
  const server = createServer(
    {
      maxHeaderSize: headerBytes,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: keepAliveMs,
      // Node would answer without a text.
      requireHostHeader: false,
      connectionsCheckingInterval: Math.min(checkEveryMs, headersMs, requestMs),
    },
    (req, res) => {
      if (isFlood(req)) return
      closeWithConnection(req, res)
      const refused = malformedHeaders(req)
      if (refused) refuse(new NodeExchange(req, res), refused)
      else listener(req, res)
    },
  )
  // 0 means no limit. With one, Node would drop the headers above it, and with them those that a proxy has appended.
  server.maxHeadersCount = 0
  // No data has moved for a while. A call may take long, but a client may not leave its answer unread.
  server.on('timeout', (socket: Socket) => {
    if (socket.writableLength > 0) socket.destroy()
  })
  // Node checks twice before it emits a timeout.
  server.timeout = Math.min(stallMs / 2, longestTimer)
  return server
}

/** Requests that a connection may bring in one turn of the event loop. Clients wait for answers, but one read may hold thousands. The
 * first one may be from an earlier turn. */
const mostPipelined = 33

/** Returns a function that cuts connections with too many requests at once, and is true for those above the limit. */
function pipelineLimit() {
  let latest: Socket | undefined
  let count = 0
  const endTurn = () => {
    latest = undefined
  }
  // The requests of one read come one after the other.
  return ({ socket }: IncomingMessage): boolean => {
    if (socket !== latest) {
      latest = socket
      count = 1
      return false
    }
    if (++count === 2) setImmediate(endTurn)
    if (count > mostPipelined) socket.destroy()
    return count > mostPipelined
  }
}

/**
 * Refuses a request with too many headers, without a host, or with several headers of which Node would keep the first alone.
 * RFC 9112, section 3.2; RFC 9110, section 5.3; RFC 6585, section 5
 */
export function malformedHeaders({ rawHeaders, httpVersion }: IncomingMessage): HttpRefusal | undefined {
  if (rawHeaders.length > 2 * mostHeaders) return tooManyHeaders
  let hosts = 0
  let credentials = 0
  let types = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    if (name.length === 4) hosts += isNamed(name, 'host')
    else if (name.length === 13) credentials += isNamed(name, 'authorization')
    else if (name.length === 12) types += isNamed(name, 'content-type')
  }
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) return notOneHost
  return credentials > 1 || types > 1 ? twoOfOne : undefined
}

const isNamed = (name: string, wanted: string): number => (name.toLowerCase() === wanted ? 1 : 0)

const notOneHost = closingRefusal(400, 'A request must have exactly one Host header')
const twoOfOne = closingRefusal(400, 'A request must not repeat its Authorization or Content-Type header')

import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { closingRefusal, type HttpRefusal, mostHeaders, refuse, tooManyHeaders } from '../http-refusal.js'
import { defaultHttpLimits } from '../options.js'
import { NodeExchange } from './node-exchange.js'

/** Timeouts and size limits for clients. */
export type ServerBounds = {
  readonly headerBytes?: number
  readonly headersMs?: number
  readonly requestMs?: number
  readonly keepAliveMs?: number
  /** Milliseconds for which a client may leave written data unread. */
  readonly stallMs?: number
}

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
  const {
    headerBytes = defaultHttpLimits.headerBytes,
    headersMs = 10_000,
    requestMs = 30_000,
    keepAliveMs = 5_000,
    stallMs = defaultHttpLimits.stallMs,
  } = bounds
  const server = createServer(
    {
      maxHeaderSize: headerBytes,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: Math.min(checkEveryMs, headersMs, requestMs),
    },
    (req, res) => {
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
  server.timeout = stallMs / 2
  return server
}

/** Refuses a request with too many headers, or with several hosts. RFC 9112, section 3.2; RFC 6585, section 5 */
export function malformedHeaders({ rawHeaders }: IncomingMessage): HttpRefusal | undefined {
  if (rawHeaders.length > 2 * mostHeaders) return tooManyHeaders
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1 ? twoHosts : undefined
}

const twoHosts = closingRefusal(400, 'A request must have exactly one Host header')

import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { closingRefusal, type HttpRefusal, mostHeaders, refuse, tooManyHeaders } from '../http-refusal.js'
import { defaultHttpLimits } from '../options.js'
import { NodeExchange } from './node-exchange.js'

/** How long a client may take, and how much it may say before its message. */
export type ServerBounds = {
  readonly headerBytes?: number
  readonly headersMs?: number
  readonly requestMs?: number
  readonly keepAliveMs?: number
  /** How long it may not take what is written to it. */
  readonly stallMs?: number
}

/** How often connections are looked at: no timeout is longer than it says by more than this. */
const lookedAtMs = 1_000

/**
 * A server of `node:http` that refuses what Node would leave out, and whose timeouts are as short as they say.
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
      connectionsCheckingInterval: Math.min(lookedAtMs, headersMs, requestMs),
    },
    (req, res) => {
      const refused = malformedHeaders(req)
      if (refused) refuse(new NodeExchange(req, res), refused)
      else listener(req, res)
    },
  )
  // Node would drop the headers above a number, and with them what a proxy has appended.
  server.maxHeadersCount = 0
  // Nothing has moved for long. A call may take its time; a client that does not take its answer may not.
  server.on('timeout', (socket: Socket) => {
    if (socket.writableLength > 0) socket.destroy()
  })
  // Node looks twice before it says that nothing has moved.
  server.timeout = stallMs / 2
  return server
}

/** Why a request cannot be believed to say what it seems to say. RFC 9112, section 3.2; RFC 6585, section 5 */
export function malformedHeaders({ rawHeaders }: IncomingMessage): HttpRefusal | undefined {
  if (rawHeaders.length > 2 * mostHeaders) return tooManyHeaders
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1 ? twoHosts : undefined
}

const twoHosts = closingRefusal(400, 'A request has one Host header; send one')

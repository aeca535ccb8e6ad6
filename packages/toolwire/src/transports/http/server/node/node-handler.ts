import type { ServerResponse } from 'node:http'
import type { Served } from '../../../../peer/application.js'
import { refuse } from '../http-refusal.js'
import { mcpEndpoint } from '../mcp-endpoint.js'
import { checkHttpOptions, type HttpOptions } from '../options.js'
import { NodeExchange, type NodeRequest } from './node-exchange.js'
import { closeWithConnection } from './pipelined-responses.js'
import { malformedHeaders } from './strict-server.js'

/**
 * A request handler for `node:http` and the frameworks built on it; it serves any path that it is mounted at.
 *
 * @example
 * ```ts
 * const handle = nodeHandler(app)
 * ```
 */
export function nodeHandler(app: Served, options?: HttpOptions): (req: NodeRequest, res: ServerResponse) => void {
  checkHttpOptions('nodeHandler()', options)
  const endpoint = mcpEndpoint(app['~application'], options)
  return (req, res) => {
    // The connection of a forwarded request belongs to another replica.
    if (!req.forwarded) closeWithConnection(req, res)
    const exchange = new NodeExchange(req, res)
    const refused = malformedHeaders(req)
    if (refused) refuse(exchange, refused)
    else endpoint.handle(exchange)
  }
}

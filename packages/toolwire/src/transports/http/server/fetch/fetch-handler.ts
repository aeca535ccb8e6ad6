import type { Application } from '../../../../peer/application.js'
import { mostHeaders, refuse, tooManyHeaders } from '../http-refusal.js'
import { mcpEndpoint } from '../mcp-endpoint.js'
import { checkHttpOptions, type HttpOptions } from '../options.js'
import { FetchExchange } from './fetch-exchange.js'

/** Answers web-standard requests on any path. */
export function fetchHandler(app: Application, options?: HttpOptions): (request: Request) => Promise<Response> {
  checkHttpOptions('`http`', options)
  const endpoint = mcpEndpoint(app, options)
  return (request) => {
    const exchange = new FetchExchange(request)
    // Servers on a socket refuse this while they read; here the headers have been read already.
    const { headers } = exchange
    const bytes = headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0)
    if (bytes > endpoint.limits.headerBytes)
      refuse(exchange, { status: 431, message: `The headers are larger than ${endpoint.limits.headerBytes} bytes` })
    else if (headers.length > mostHeaders) refuse(exchange, tooManyHeaders)
    else endpoint.handle(exchange)
    return exchange.response
  }
}

import type { ClientTransport, Credentials, Endpoint } from '../../../peer/client-transport.js'
import { openEndpointStream } from '../../sse-2024/client/endpoint-stream.js'
import { customHeaders } from './custom-headers.js'
import { type FetchFunction, fetchHttpClient } from './http-clients/fetch-http-client.js'
import type { HttpClient } from './http-clients/http-client.js'
import { undiciHttpClient } from './http-clients/undici-http-client.js'
import type { HttpConnection } from './http-connection.js'
import { httpTargetOf } from './http-target.js'
import { httpTransport } from './http-transport.js'
import { SessionHeaders } from './session-headers.js'

export type HttpEndpointOptions = {
  readonly credentials?: Credentials
  /** Headers for every request, except those that the protocol controls. */
  readonly headers?: Readonly<Record<string, string>>
  /** Replaces the HTTP stack of the runtime. */
  readonly fetch?: FetchFunction
  /** Longest body or event accepted, in bytes. */
  readonly limit?: number
  readonly random?: () => number
}

/** Streamable HTTP, for every revision that has it. */
export const httpEndpoint = (url: URL, options: HttpEndpointOptions = {}): Endpoint => ({
  ...endpointTo(url, options, async (connection) => httpTransport(connection)),
  olderEndpoint: sseEndpoint(url, options),
})

/** HTTP+SSE of revision 2024-11-05. */
export const sseEndpoint = (url: URL, options: HttpEndpointOptions = {}): Endpoint => endpointTo(url, options, openEndpointStream)

function endpointTo(
  url: URL,
  { credentials, headers, fetch, limit = 4 * 1024 * 1024, random = Math.random }: HttpEndpointOptions,
  open: (connection: HttpConnection) => Promise<ClientTransport>,
): Endpoint {
  const target = httpTargetOf(url)
  const own = customHeaders(headers)
  return {
    name: target.name,
    key: target.name,
    async dial(listener) {
      const client = await httpClientTo(target.origin, fetch)
      try {
        return await open({ target, client, credentials, sessionHeaders: new SessionHeaders(own), limit, listener, random })
      } catch (thrown) {
        await client.close()
        throw thrown
      }
    },
  }
}

async function httpClientTo(origin: string, fetch: FetchFunction | undefined): Promise<HttpClient> {
  if (fetch) return fetchHttpClient(origin, fetch)
  return (await undiciHttpClient(origin)) ?? fetchHttpClient(origin, (request) => globalThis.fetch(request))
}

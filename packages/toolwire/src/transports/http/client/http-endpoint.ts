// Ways to reach a server over HTTP.
import type { Credentials, Endpoint, TransportListener } from '../../../peer/client-transport.js'
import { openEndpointStream } from '../../sse-2024/client/endpoint-stream.js'
import { customHeaders } from './custom-headers.js'
import { type FetchFunction, fetchHttpClient } from './http-clients/fetch-http-client.js'
import type { HttpClient } from './http-clients/http-client.js'
import { undiciHttpClient } from './http-clients/undici-http-client.js'
import type { HttpConnection } from './http-connection.js'
import { type HttpTarget, httpTargetOf } from './http-target.js'
import { HttpTransport } from './http-transport.js'
import { SessionHeaders } from './session-headers.js'

export type HttpEndpointOptions = {
  readonly credentials?: Credentials
  /** For every request, besides those that the protocol has a say in. */
  readonly headers?: Readonly<Record<string, string>>
  /** Instead of the HTTP stack of the runtime. */
  readonly fetch?: FetchFunction
  /** Longest body or event taken, in bytes. */
  readonly limit?: number
  readonly random?: () => number
}

const usualLimit = 4 * 1024 * 1024

/** Streamable HTTP, of every edition that has it. */
export function httpEndpoint(url: URL, options: HttpEndpointOptions = {}): Endpoint {
  const enter = connectionOpener(url, options)
  return {
    ...endpointLabels(url),
    olderEndpoint: sseEndpoint(url, options),
    dial: async (listener) => new HttpTransport(await enter(listener)),
  }
}

/** HTTP+SSE, of the first edition. */
export function sseEndpoint(url: URL, options: HttpEndpointOptions = {}): Endpoint {
  const enter = connectionOpener(url, options)
  return { ...endpointLabels(url), dial: async (listener) => connect(await enter(listener)) }
}

async function connect(httpConnection: HttpConnection) {
  try {
    return await openEndpointStream(httpConnection)
  } catch (thrown) {
    await httpConnection.client.close()
    throw thrown
  }
}

function endpointLabels(url: URL) {
  const { name } = httpTargetOf(url)
  return { name, key: name }
}

function connectionOpener(
  url: URL,
  { credentials, headers, fetch, limit = usualLimit, random = Math.random }: HttpEndpointOptions,
) {
  const target = httpTargetOf(url)
  const own = customHeaders(headers)
  return async (listener: TransportListener): Promise<HttpConnection> => {
    const carrier = await httpClientTo(target, fetch)
    return { target, client: carrier, credentials, sessionHeaders: new SessionHeaders(own), limit, listener, random }
  }
}

async function httpClientTo({ origin }: HttpTarget, fetch: FetchFunction | undefined): Promise<HttpClient> {
  if (fetch) return fetchHttpClient(origin, fetch)
  return (await undiciHttpClient(origin)) ?? fetchHttpClient(origin, (request) => globalThis.fetch(request))
}

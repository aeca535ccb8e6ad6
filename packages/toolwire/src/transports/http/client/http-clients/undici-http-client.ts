import type { Dispatcher, fetch as undiciFetch } from 'undici'
import type { ConnectionPool, HttpClient } from './http-client.js'

const connectMs = 10_000
/** A slow call holds a connection, and so does a stream. */
const mostConnections: Readonly<Record<ConnectionPool, number>> = { calls: 256, control: 32, streams: 256 }
const longestHeaders = 16 * 1024

/** Requests over undici's pools; undefined on runtimes other than Node. */
export async function undiciHttpClient(origin: string): Promise<HttpClient | undefined> {
  if (!onNode()) return undefined
  // All of undici takes 60 ms to load, with its own fetch, WebSocket and mocks; the pool alone takes 20 ms.
  // @ts-expect-error undici has types for its main file only
  const { default: Pool }: { default: typeof import('undici').Pool } = await import('undici/lib/dispatcher/pool.js')
  const poolFor = (connectionPool: ConnectionPool) =>
    new Pool(origin, {
      connections: mostConnections[connectionPool],
      maxHeaderSize: longestHeaders,
      connect: { timeout: connectMs },
      // Callers have timeouts of their own, and streams may be silent for long.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  const pools = { calls: poolFor('calls'), control: poolFor('control'), streams: poolFor('streams') }
  return {
    dispatch: (request, handler) => void pools[request.pool].dispatch(request, handler),
    close: async () => void (await Promise.all(Object.values(pools).map((pool) => pool.destroy()))),
  }
}

let dispatcher: Dispatcher | undefined

/** Like the `fetch` of Node, which gives up after five minutes of silence, but waits until the signal ends the request. */
export async function fetchWithoutTimeouts(url: string | URL, init: RequestInit): Promise<Response> {
  // Loaded at the first use, because undici takes 60 ms to load.
  const { Agent, EnvHttpProxyAgent, fetch } = await import('undici')
  // Node's `fetch` uses the proxies of the environment if this is set.
  const agent = () => (process.env.NODE_USE_ENV_PROXY === '1' ? new EnvHttpProxyAgent() : new Agent())
  dispatcher ??= agent().compose(
    (dispatch) => (request, handler) => dispatch({ ...request, headersTimeout: 0, bodyTimeout: 0 }, handler),
  )
  // The types of undici's fetch and of the global one differ in name only.
  return fetch(url, { ...init, dispatcher } as Parameters<typeof undiciFetch>[1]) as unknown as Promise<Response>
}

/** Other runtimes have modules of that name too, but incomplete ones. */
const onNode = (): boolean =>
  typeof process === 'object' && process.versions?.node !== undefined && !('Bun' in globalThis) && !('Deno' in globalThis)

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

/** Other runtimes have modules of that name too, but incomplete ones. */
const onNode = (): boolean =>
  typeof process === 'object' && process.versions?.node !== undefined && !('Bun' in globalThis) && !('Deno' in globalThis)

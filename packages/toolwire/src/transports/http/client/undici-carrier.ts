import type { Carrier } from './carrier.js'

const connectMs = 10_000
/** Each call that takes its time holds a connection. */
const mostConnections = 256
const longestHeaders = 16 * 1024

/** Requests over undici's pool; undefined where there is none, which is anywhere but on Node. */
export async function undiciCarrier(origin: string): Promise<Carrier | undefined> {
  if (!onNode()) return undefined
  const { Pool } = await import('undici')
  const pool = new Pool(origin, {
    connections: mostConnections,
    maxHeaderSize: longestHeaders,
    connect: { timeout: connectMs },
    // Whoever asks has clocks of its own, and streams may be silent for long.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    dispatch: (request, handler) => {
      pool.dispatch(request, handler)
    },
    close: () => pool.destroy(),
  }
}

/** Others bring modules of that name, too, which are not all there. */
const onNode = (): boolean =>
  typeof process === 'object' && process.versions?.node !== undefined && !('Bun' in globalThis) && !('Deno' in globalThis)

import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { wire } from 'toolwire/relay'

const usual = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
}
const heartbeatMs = 15_000

export function sendJson(res: ServerResponse, status: number, json: unknown): void {
  if (res.headersSent || res.destroyed) return void wire.destroyResponse(res)
  const body = JSON.stringify(json)
  res.writeHead(status, { ...usual, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  res.end(body)
}

type Pieces = { readonly type: string; readonly name?: string; readonly pieces: AsyncIterable<string> }

/** Sends pieces as fast as the client reads, with heartbeats in an event stream. */
export async function sendStream(res: ServerResponse, { type, name, pieces }: Pieces): Promise<void> {
  res.writeHead(200, {
    ...usual,
    'content-type': type,
    ...(name !== undefined && { 'content-disposition': `attachment; filename="${name}"` }),
  })
  res.flushHeaders()
  const beat = type === 'text/event-stream' ? setInterval(() => res.write(': \n\n'), heartbeatMs) : undefined
  try {
    for await (const piece of pieces) {
      if (res.destroyed) return
      if (piece !== '' && !res.write(piece)) await drained(res)
    }
    res.end()
  } finally {
    clearInterval(beat)
  }
}

/** Waits until the stream has room, or closes. Listeners are removed, because a stream may be full many times. */
async function drained(res: ServerResponse): Promise<void> {
  const over = new AbortController()
  const { signal } = over
  await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })])
  over.abort()
}

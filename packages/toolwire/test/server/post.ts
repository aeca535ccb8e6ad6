// Single requests over HTTP.
import type { JsonObject } from '../../src/json.js'
import { listen } from '../../src/node.js'
import type { Served } from '../../src/peer/application.js'
import type { ListenOptions } from '../../src/transports/http/server/node/listen.js'
import type { Reply } from './pipe.js'

export type Posted = { status: number; headers: Headers; body: Reply }
type Post = (message: JsonObject, headers?: Record<string, string>) => Promise<Posted>

/** The headers that copy values from the body of a 2026-07-28 request. */
export function mirrored(message: JsonObject): Record<string, string> {
  const { name, uri } = (message.params ?? {}) as Record<string, string>
  const named = name ?? uri
  return {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': String(message.method),
    ...(named !== undefined && { 'mcp-name': named }),
  }
}

/** Serves over HTTP while the test function runs. */
export async function overHttp(app: Served, test: (post: Post) => Promise<void>, options: ListenOptions = {}): Promise<void> {
  const listening = await listen(app, { signals: false, ...options })
  const post: Post = async (message, headers = mirrored(message)) => {
    const always = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const response = await fetch(listening.url, {
      method: 'POST',
      headers: { ...always, ...headers },
      body: JSON.stringify(message),
    })
    return { status: response.status, headers: response.headers, body: bodyOf(await response.text()) }
  }
  try {
    await test(post)
  } finally {
    await listening.close()
  }
}

/** The response, which is the whole body or the last event of a stream. */
function bodyOf(text: string): Reply {
  const events = text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [line.slice('data: '.length)] : []))
  return JSON.parse(events.at(-1) ?? (text || '{}'))
}

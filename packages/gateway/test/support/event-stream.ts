// Reads server-sent events of the management API as the console does.
import { onTestFinished } from 'vitest'
import { credentialsFor } from './running-gateway.js'

export type StreamEvent = { readonly id: string | undefined; readonly event: string; readonly data: Record<string, unknown> }

export type Stream = {
  readonly events: StreamEvent[]
  readonly status: number
  /** The first matching event, among past and future ones. */
  first(fits: (event: StreamEvent) => boolean, ms?: number): Promise<StreamEvent>
  /** Settles when the server has ended the stream. */
  readonly ended: Promise<void>
  leave(): void
}

type Asking = { readonly body?: object; readonly headers?: Record<string, string> }

/** Opens a stream until the test ends or calls `leave`. */
export async function listening({ port }: { readonly port: number }, path: string, asking: Asking = {}): Promise<Stream> {
  const gone = new AbortController()
  onTestFinished(() => gone.abort())
  const { body, headers } = asking
  const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { ...(body && { 'content-type': 'application/json' }), ...credentialsFor({ port }, headers) },
    ...(body && { body: JSON.stringify(body) }),
    signal: gone.signal,
  })
  const events: StreamEvent[] = []
  const wakes = new Set<() => void>()
  const ended = read(response.body, (one) => {
    events.push(one)
    for (const wake of wakes) wake()
  }).catch(() => undefined) // aborted, or the gateway has closed
  return {
    events,
    status: response.status,
    ended,
    leave: () => gone.abort(),
    first: (fits, ms = 60_000) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = events.find(fits)
          if (!found) return
          clearTimeout(timer)
          wakes.delete(look)
          resolve(found)
        }
        const timer = setTimeout(() => {
          reject(new Error(`No matching event within ${ms} ms: ${fits}; received: ${JSON.stringify(events).slice(0, 2_000)}`))
        }, ms)
        wakes.add(look)
        look()
      }),
  }
}

async function read(body: ReadableStream<Uint8Array> | null, onEvent: (event: StreamEvent) => void): Promise<void> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const found = parseEvent(block)
      if (found) onEvent(found)
    }
  }
}

function parseEvent(block: string): StreamEvent | undefined {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
  const data = field('data')
  return data === undefined ? undefined : { id: field('id'), event: field('event') ?? 'message', data: JSON.parse(data) }
}

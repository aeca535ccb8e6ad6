// Server-sent events over fetch, because EventSource cannot send the headers that the gateway requires.
import { EventDecoder } from '../../../toolwire/src/jsonrpc/event-decoder.js'
import { request, requestWithBody } from './api.js'
import type { Json } from './types.js'

export type StreamEvent = { readonly id: string | undefined; readonly kind: string; readonly data: Json }

export type ReadEventsOptions = {
  readonly method?: 'GET' | 'POST'
  readonly body?: unknown
  readonly lastEventId?: string | undefined
  readonly signal?: AbortSignal
  readonly onEvent: (event: StreamEvent) => void
  /** Called when the response begins, and with each sign of life. */
  readonly onAlive?: () => void
}

const maxEventBytes = 64 * 1024 * 1024

/** Calls back with each event. Resolves when the stream ends; rejects if it breaks or is refused. */
export async function readEvents(path: string, reading: ReadEventsOptions): Promise<void> {
  const { method = 'GET', body, lastEventId, signal, onEvent, onAlive } = reading
  const init = method === 'GET' ? {} : requestWithBody(method, body ?? {})
  const headers = { ...init.headers, accept: 'text/event-stream', ...(lastEventId && { 'last-event-id': lastEventId }) }
  const response = await request(path, { ...init, headers, signal: signal ?? null })
  onAlive?.()
  const decoder = new EventDecoder({ limit: maxEventBytes })
  const reader = response.body?.getReader()
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    onAlive?.()
    for (const { id, event, data } of decoder.push(read.value))
      onEvent({ id: id || undefined, kind: event, data: JSON.parse(data) as Json })
  }
}

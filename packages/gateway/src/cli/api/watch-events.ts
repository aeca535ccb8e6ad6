import { setTimeout as pause } from 'node:timers/promises'
import type { JsonObject } from 'toolwire'
import { wire } from 'toolwire/relay'
import { isObject } from '../../json/is-object.js'
import type { ApiClient } from './api-client.js'

type ApiEvent = { readonly id: string | undefined; readonly event: string; readonly data: JsonObject }

const pauseMs = 1_000
const patience = 5

type Listening = { readonly signal: AbortSignal; readonly path?: string }

/** The gateway's events as they happen. Resumes after a lost connection, and ends with the signal. */
export async function* watchEvents(api: ApiClient, { signal, path = '/events' }: Listening): AsyncGenerator<ApiEvent> {
  let last: string | undefined
  let wasOpen = false
  for (let failed = 0; !signal.aborted; ) {
    try {
      const headers = { accept: 'text/event-stream', ...(last !== undefined && { 'last-event-id': last }) }
      const { body } = await api.open(path, { headers, signal })
      wasOpen = true
      for await (const event of read(body, signal)) {
        failed = 0
        last = event.id ?? last
        yield event
      }
    } catch (thrown) {
      if (signal.aborted) return
      if (!wasOpen || ++failed === patience) throw thrown
    }
    await pause(pauseMs, undefined, { signal }).catch(() => undefined) // the signal ends it
  }
}

async function* read(body: ReadableStream<Uint8Array> | null, signal: AbortSignal): AsyncGenerator<ApiEvent> {
  const reader = body?.getReader()
  // In Node, the body of a long response ignores the signal of its request. https://github.com/nodejs/undici/issues/4068
  const stop = () => void reader?.cancel().catch(() => undefined) // it has ended already
  signal.addEventListener('abort', stop)
  const decoder = new wire.EventDecoder()
  try {
    while (reader && !signal.aborted) {
      const { done, value } = await reader.read()
      if (done) return
      for (const { id, event, data } of decoder.push(value)) {
        if (data === '') continue
        const parsed: unknown = JSON.parse(data)
        yield { id: id || undefined, event, data: isObject(parsed) ? parsed : {} }
      }
    }
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

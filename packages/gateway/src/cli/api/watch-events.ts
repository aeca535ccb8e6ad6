import { setTimeout as pause } from 'node:timers/promises'
import type { JsonObject } from 'toolwire'
import { wire } from 'toolwire/relay'
import { isObject } from '../../json/is-object.js'
import type { ApiClient } from './api-client.js'

type ApiEvent = { readonly id: string | undefined; readonly event: string; readonly data: JsonObject }

/** Time for a gateway to restart. */
const patienceMs = 60_000
/** A stream that lasted this long was not ended by its contents. */
const stableMs = 5_000

type Listening = {
  readonly signal: AbortSignal
  readonly path?: string
  readonly pauseMs?: number
  readonly now?: () => number
}

/** The gateway's events as they happen. Resumes after a lost connection, and ends with the signal. */
export async function* watchEvents(
  api: ApiClient,
  { signal, path = '/events', pauseMs = 1_000, now = () => performance.now() }: Listening,
): AsyncGenerator<ApiEvent> {
  let last: string | undefined
  let wasOpen = false
  let failingSince: number | undefined
  while (!signal.aborted) {
    let openedAt = Number.POSITIVE_INFINITY
    try {
      const headers = { accept: 'text/event-stream', ...(last !== undefined && { 'last-event-id': last }) }
      const { body } = await api.open(path, { headers, signal })
      openedAt = now()
      wasOpen = true
      for await (const event of read(body, signal)) {
        failingSince = undefined
        last = event.id ?? last
        yield event
      }
      failingSince = undefined // the gateway has ended the stream
    } catch (thrown) {
      if (signal.aborted) return
      if (failingSince === undefined || now() - openedAt >= stableMs) failingSince = now()
      if (!wasOpen || now() - failingSince >= patienceMs) throw thrown
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

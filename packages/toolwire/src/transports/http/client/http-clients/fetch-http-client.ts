import { checkHeader } from '../custom-headers.js'
import type { DispatchedRequest, DispatchHandler, HttpClient } from './http-client.js'

export type FetchFunction = (request: Request) => Promise<Response>

/** HTTP requests over a function like `fetch`: for runtimes with nothing else, and for servers in this process. */
export function fetchHttpClient(origin: string, fetch: FetchFunction): HttpClient {
  const open = new Set<OpenRequest>()
  return {
    dispatch(request, handler) {
      const trip: OpenRequest = { hangup: new AbortController() }
      open.add(trip)
      const send = () => {
        trip.sent = requestOf(origin, request, trip.hangup.signal)
        handler.onRequestStart(trip.hangup)
        return fetch(trip.sent)
      }
      void runRequest(trip.hangup, send, handler).finally(() => open.delete(trip))
    },
    async close() {
      for (const { hangup } of open) hangup.abort(new Error('closed'))
    },
  }
}

type OpenRequest = {
  readonly hangup: AbortController
  /**
   * Kept until the request ends: in Node, a garbage-collected request misses its abort signal. https://github.com/nodejs/undici/issues/4068
   */
  sent?: Request
}

async function runRequest(hangup: AbortController, send: () => Promise<Response>, handler: DispatchHandler): Promise<void> {
  try {
    const response = await send()
    if (hangup.signal.aborted) {
      void response.body?.cancel().catch(gone)
      throw hangup.signal.reason
    }
    handler.onResponseStart(hangup, response.status, Object.fromEntries(response.headers))
    await readBody(response, hangup, handler)
  } catch (thrown) {
    handler.onResponseError(hangup, thrown instanceof Error ? thrown : new Error('fetch failed', { cause: thrown }))
  }
}

const requestOf = (origin: string, { path, method, headers, body }: DispatchedRequest, signal: AbortSignal): Request =>
  new Request(origin + path, {
    method,
    headers: headersOf(headers),
    // RetryingRequest decides about redirects.
    redirect: 'manual',
    signal,
    ...(body !== undefined && { body }),
  })

function headersOf(list: readonly string[]): Headers {
  const headers = new Headers()
  for (let at = 0; at < list.length; at += 2) {
    const [name = '', value = ''] = list.slice(at, at + 2)
    checkHeader(name, value)
    headers.append(name, value)
  }
  return headers
}

async function readBody(response: Response, hangup: AbortController, handler: DispatchHandler): Promise<void> {
  const reader = response.body?.getReader()
  const stop = () => void reader?.cancel().catch(gone)
  hangup.signal.addEventListener('abort', stop, { once: true })
  while (reader) {
    const { done, value } = await reader.read()
    hangup.signal.throwIfAborted()
    if (done) break
    await handler.onResponseData(hangup, value)
    hangup.signal.throwIfAborted()
  }
  handler.onResponseEnd(hangup)
}

/** A stream that is already broken cannot be cancelled, and need not be. */
function gone(): void {}

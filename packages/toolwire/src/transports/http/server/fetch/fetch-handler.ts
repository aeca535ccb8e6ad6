import { CancelSource } from '../../../../bounds/cancel-token.js'
import type { Application } from '../../../../peer/application.js'
import { BodyBuffer } from '../../body-buffer.js'
import type { BodyFault, HttpExchange, Sink } from '../http-exchange.js'
import { mostHeaders, refuse, tooManyHeaders } from '../http-refusal.js'
import { mcpEndpoint } from '../mcp-endpoint.js'
import { checkHttpOptions, type HttpOptions } from '../options.js'
import { paramHeadersIn } from '../param-headers.js'

/** Answers web-standard requests on any path. */
export function fetchHandler(app: Application, options?: HttpOptions): (request: Request) => Promise<Response> {
  checkHttpOptions('`http`', options)
  const endpoint = mcpEndpoint(app, options)
  return (request) => {
    const exchange = fetchExchange(request)
    // Servers on a socket check this while they read; here the headers have been read already.
    const headers = [...request.headers]
    const bytes = headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0)
    if (bytes > endpoint.limits.headerBytes)
      refuse(exchange, { status: 431, message: `The headers are larger than ${endpoint.limits.headerBytes} bytes` })
    else if (headers.length > mostHeaders) refuse(exchange, tooManyHeaders)
    else endpoint.handle(exchange)
    return exchange.response
  }
}

function fetchExchange(request: Request): HttpExchange & { readonly response: Promise<Response> } {
  const { pathname, search, host } = new URL(request.url)
  let answer!: (response: Response) => void
  const response = new Promise<Response>((resolve) => {
    answer = resolve
  })
  const gone = new CancelSource()
  return {
    response,
    method: request.method,
    path: pathname,
    query: search.slice(1),
    remote: undefined,
    port: undefined,
    commonHeaders: undefined,
    challenge: undefined,
    /** Some runtimes hide `Host`; the URL contains it then. */
    header: (name) => request.headers.get(name) ?? (name === 'host' ? host : undefined),
    paramHeaders: () => paramHeadersIn([...request.headers].flat()),
    read(limit, receive) {
      void readBody(request, limit).then(receive)
    },
    respond(status, headers, body) {
      const content = typeof body === 'object' ? concatBytes(body) : body
      answer(new Response(content || null, { status, headers: { ...this.commonHeaders, ...headers } }))
    },
    stream(headers, first) {
      const sink = fetchSink(() => gone.abort(undefined))
      if (first !== '') sink.write(first)
      answer(new Response(sink.body, { status: 200, headers: { ...this.commonHeaders, ...headers } }))
      return sink
    },
    onGone(listener) {
      const { signal } = request
      if (signal.aborted || gone.aborted) return listener()
      gone.addEventListener('abort', listener)
      // Not every runtime aborts it when the client closes the response.
      signal.addEventListener('abort', () => gone.abort(undefined), { once: true })
    },
  }
}

async function readBody({ body }: Request, limit: number): Promise<Uint8Array | BodyFault> {
  if (!body) return new Uint8Array(0)
  const gathered = new BodyBuffer(limit)
  try {
    for (const reader = body.getReader(); ; ) {
      const { done, value } = await reader.read()
      if (done) return gathered.take()
      if (gathered.add(value)) continue
      await reader.cancel()
      return { fault: 'too-large' }
    }
  } catch {
    return { fault: 'gone' } // the client broke off in the middle of its body
  }
}

function concatBytes(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

const utf8 = new TextEncoder()

/** `onCut` is called if the stream is closed before its end: by the client, or because the client does not read. */
function fetchSink(onCut: () => void): Sink & { readonly body: ReadableStream<Uint8Array> } {
  const listeners: (() => void)[] = []
  let controller!: ReadableStreamDefaultController<Uint8Array>
  let open = true
  const close = (how?: () => void): void => {
    if (open) how?.()
    open = false
    for (const listener of listeners.splice(0)) listener()
  }
  const cut = (how?: () => void): void => {
    const wasOpen = open
    close(how)
    if (wasOpen) onCut()
  }
  const start = (given: typeof controller) => {
    controller = given
  }
  return {
    body: new ReadableStream({ start, cancel: () => cut() }, new ByteLengthQueuingStrategy({ highWaterMark: 0 })),
    get open() {
      return open
    },
    get queued() {
      return -(controller.desiredSize ?? 0)
    },
    write(text) {
      if (open) controller.enqueue(utf8.encode(text))
    },
    end: () => close(() => controller.close()),
    destroy: () => cut(() => controller.error(new Error('The client does not read its stream'))),
    onClose(listener) {
      if (open) listeners.push(listener)
      else listener()
    },
  }
}

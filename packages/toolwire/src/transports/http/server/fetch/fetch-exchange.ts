import type { Answer } from '../../../../peer/application.js'
import type { BodyFault, HttpExchange, HttpHeaders, ReceiveBody, Sink } from '../http-exchange.js'
import { paramHeadersIn } from '../param-headers.js'
import { fetchSink } from './fetch-sink.js'

/** An exchange over the web's Request and Response. */
export class FetchExchange implements HttpExchange {
  readonly #request: Request
  readonly #url: URL
  #answer!: (response: Response) => void
  readonly response = new Promise<Response>((resolve) => {
    this.#answer = resolve
  })
  readonly remote = undefined
  readonly port = undefined
  commonHeaders: HttpHeaders | undefined
  challenge: HttpExchange['challenge']

  constructor(request: Request) {
    this.#request = request
    this.#url = new URL(request.url)
  }

  get method(): string {
    return this.#request.method
  }

  get path(): string {
    return this.#url.pathname
  }

  get query(): string {
    return this.#url.search.slice(1)
  }

  /** Some runtimes keep `Host` to themselves; then the URL says it. */
  readonly header = (name: string): string | undefined => {
    return this.#request.headers.get(name) ?? (name === 'host' ? this.#url.host : undefined)
  }

  paramHeaders(): readonly string[] | undefined {
    return paramHeadersIn(this.headers.flat())
  }

  get headers(): readonly (readonly [name: string, value: string])[] {
    return [...this.#request.headers]
  }

  read(limit: number, receive: ReceiveBody): void {
    void this.#read(limit).then(receive)
  }

  async #read(limit: number): Promise<Uint8Array | BodyFault> {
    const { body } = this.#request
    if (!body) return new Uint8Array(0)
    const pieces: Uint8Array[] = []
    let size = 0
    try {
      for (const reader = body.getReader(); ; ) {
        const { done, value } = await reader.read()
        if (done) return concatBytes(pieces)
        size += value.length
        if (size > limit) {
          await reader.cancel()
          return { fault: 'too-large' }
        }
        pieces.push(value)
      }
    } catch {
      return { fault: 'gone' } // the client broke off in the middle of its body
    }
  }

  respond(status: number, headers: HttpHeaders, body?: Answer['body']): void {
    const content = typeof body === 'object' ? concatBytes(body) : body
    this.#answer(new Response(content || null, { status, headers: { ...this.commonHeaders, ...headers } }))
  }

  stream(headers: HttpHeaders, first: string): Sink {
    const sink = fetchSink()
    if (first !== '') sink.write(first)
    this.#answer(new Response(sink.body, { status: 200, headers: { ...this.commonHeaders, ...headers } }))
    return sink
  }

  onGone(listener: () => void): void {
    const { signal } = this.#request
    if (signal.aborted) listener()
    else signal.addEventListener('abort', listener, { once: true })
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

import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Answer } from '../../../../peer/application.js'
import type { HoldMemory } from '../../../../peer/reply-channel.js'
import { BodyBuffer } from '../../body-buffer.js'
import type { HttpExchange, HttpHeaders, ReceiveBody, Sink } from '../http-exchange.js'
import { jsonHeaders } from '../http-refusal.js'
import { paramHeadersIn } from '../param-headers.js'
import { destroyResponse } from './pipelined-responses.js'

/** A shorter text is sent in one piece with the headers; for a longer one, that would cost another copy. */
const longText = 16_384
/** Bytes of a refused request that are discarded so that its sender can read the response. */
const mostDiscarded = 64 * 1024 * 1024

/** A request whose body a framework may have read already. */
export type NodeRequest = IncomingMessage & {
  body?: unknown
  /** True if another replica has forwarded the request; set only after that was verified. */
  forwarded?: boolean
  /** Set if memory is reserved for the request. */
  hold?: HoldMemory
}

export class NodeExchange implements HttpExchange {
  readonly #req: NodeRequest
  readonly #res: ServerResponse
  commonHeaders: HttpHeaders | undefined
  challenge: HttpExchange['challenge']

  constructor(req: NodeRequest, res: ServerResponse) {
    this.#req = req
    this.#res = res
  }

  get method(): string {
    return this.#req.method ?? 'GET'
  }

  get path(): string {
    const { url = '/' } = this.#req
    const end = url.indexOf('?')
    return end === -1 ? url : url.slice(0, end)
  }

  get query(): string {
    const { url = '/' } = this.#req
    const start = url.indexOf('?')
    return start === -1 ? '' : url.slice(start + 1)
  }

  readonly header = (name: string): string | undefined => {
    const value = this.#req.headers[name]
    return typeof value === 'object' ? value.join(', ') : value
  }

  paramHeaders(): readonly string[] | undefined {
    return paramHeadersIn(this.#req.rawHeaders)
  }

  get remote(): string | undefined {
    return this.#req.socket.remoteAddress
  }

  get forwarded(): boolean {
    return this.#req.forwarded === true
  }

  get hold(): HoldMemory | undefined {
    return this.#req.hold
  }

  get port(): number | undefined {
    return this.#req.socket.localPort
  }

  read(limit: number, receive: ReceiveBody): void {
    const req = this.#req
    if (req.body !== undefined || req.readableEnded) receive(alreadyParsedBody(req.body))
    else collectBody(req, limit, receive)
  }

  respond(status: number, headers: HttpHeaders, body: Answer['body'] = '') {
    const res = this.#res
    if (res.headersSent || res.destroyed) return
    if (headers.connection === 'close' && !this.#req.complete) return this.#respondEarly(status, headers, body)
    if (typeof body !== 'string') return this.#respondPieces(status, headers, body)
    if (body.length > longText) return this.#respondPieces(status, headers, [bytesOf(body)])
    res.writeHead(status, this.#head(headers, Buffer.byteLength(body)))
    res.end(body)
  }

  stream(headers: HttpHeaders, first: string): Sink {
    const res = this.#res
    res.writeHead(200, { ...this.commonHeaders, ...headers })
    if (first === '') res.flushHeaders()
    else res.write(first)
    return {
      get open() {
        return !res.destroyed && !res.writableEnded
      },
      get queued() {
        return res.writableLength
      },
      write(text) {
        if (this.open) res.write(text)
      },
      end: () => res.end(),
      destroy: () => destroyResponse(res),
      onClose: (listener) => void (res.destroyed ? listener() : res.once('close', listener)),
    }
  }

  onGone(listener: () => void) {
    const res = this.#res
    if (res.destroyed) return listener()
    res.on('close', () => {
      if (!res.writableFinished) listener()
    })
  }

  /** Most responses have the same headers, which then need not be copied. */
  #head(headers: HttpHeaders, size: number): OutgoingHttpHeaders | OutgoingHttpHeader[] {
    if (headers === jsonHeaders && !this.commonHeaders)
      return ['content-type', 'application/json', 'content-length', String(size)]
    return { ...this.commonHeaders, ...headers, 'content-length': size }
  }

  /** Discards the rest of the request. Closing a connection while the client still sends would lose the response. */
  #respondEarly(status: number, headers: HttpHeaders, body: NonNullable<Answer['body']>): void {
    const req = this.#req
    const res = this.#res
    const pieces = typeof body === 'string' ? [Buffer.from(body)] : body
    let rest = mostDiscarded
    res.writeHead(status, this.#head(headers, sizeOf(pieces)))
    for (const piece of pieces) res.write(piece)
    req.on('data', (chunk: Buffer) => {
      rest -= chunk.length
      if (rest < 0) destroyResponse(res)
    })
    req.once('end', () => res.end())
    req.resume()
  }

  #respondPieces(status: number, headers: HttpHeaders, pieces: readonly Uint8Array[]): void {
    const res = this.#res
    res.writeHead(status, this.#head(headers, sizeOf(pieces)))
    res.cork()
    for (const piece of pieces) res.write(piece)
    res.uncork()
    res.end()
  }
}

const sizeOf = (pieces: readonly Uint8Array[]): number => pieces.reduce((sum, piece) => sum + piece.length, 0)

/** Chunks read before a pause. A sender may cut a body into hundreds of thousands, which Node delivers without one. */
const piecesInTurn = 4_096

function collectBody(req: IncomingMessage, limit: number, receive: ReceiveBody): void {
  let gathered: BodyBuffer | undefined = new BodyBuffer(limit)
  const finish: ReceiveBody = (body) => {
    if (gathered) receive(body)
    gathered = undefined
  }
  let pieces = 0
  req.on('data', (chunk: Buffer) => {
    if (gathered?.add(chunk) === false) finish({ fault: 'too-large' })
    if (++pieces % piecesInTurn !== 0) return
    req.pause()
    setImmediate(() => req.resume())
  })
  req.on('end', () => finish(gathered?.take() ?? new Uint8Array(0)))
  req.on('close', () => finish({ fault: 'gone' }))
}

/** The body as a framework has left it. */
function alreadyParsedBody(body: unknown): Uint8Array | string {
  if (body === undefined || typeof body === 'string') return body ?? ''
  return body instanceof Uint8Array ? body : JSON.stringify(body)
}

const encoder = new TextEncoder()

/** Encodes in one pass if every character is one byte, which is not known before; counting first would cost as much. */
function bytesOf(text: string): Uint8Array {
  const bytes = Buffer.allocUnsafe(text.length)
  return encoder.encodeInto(text, bytes).read === text.length ? bytes : Buffer.from(text)
}

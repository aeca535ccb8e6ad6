// Raw requests to an endpoint with any headers and any body, some of which `fetch` would refuse.
import { type IncomingMessage, request as plain } from 'node:http'
import { request as secure } from 'node:https'
import type { JsonObject } from 'toolwire'
import { wire } from 'toolwire/relay'

import {
  Connection,
  maxReplyLength,
  type Received,
  type RequestBody,
  type SendOptions,
  tooLong,
  truncated,
} from './connection.js'
import { parseMessages } from './parse-messages.js'

const defaultHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

export class HttpConnection extends Connection {
  readonly kind = 'http'
  readonly #url: URL
  readonly #headers: Readonly<Record<string, string>>
  readonly #open = new Set<AbortController>()

  constructor(url: URL, headers: Readonly<Record<string, string>>) {
    super()
    this.#url = url
    this.#headers = headers
  }

  send(body: RequestBody, sending: SendOptions): Promise<Received> {
    if (!this.alive) return Promise.resolve({ messages: [], text: '', headers: {}, end: 'closed' })
    const stop = new AbortController()
    this.#open.add(stop)
    const reply = new Reply(sending, (message) => this.note(message))
    return new Promise<Received>((resolve) => {
      const finish = (end: Received['end'], why?: string) => {
        clearTimeout(timer)
        resolve({ ...reply.heard(end), ...(why !== undefined && { why }) })
        stop.abort()
        this.#open.delete(stop)
      }
      const timer = setTimeout(() => finish('too late'), sending.ms)
      sending.signal?.addEventListener('abort', () => finish('closed'), { once: true })
      reply.onEnd = finish
      this.#request(body, sending, { stop, reply, finish })
    })
  }

  async close(): Promise<void> {
    this.alive = false
    for (const stop of this.#open) stop.abort()
  }

  #request(
    body: RequestBody,
    { method = 'POST', headers }: SendOptions,
    { stop, reply, finish }: { stop: AbortController; reply: Reply; finish: (end: Received['end'], why?: string) => void },
  ): void {
    const send = this.#url.protocol === 'https:' ? secure : plain
    const all = Object.entries({
      ...(body === undefined ? { accept: defaultHeaders.accept } : defaultHeaders),
      ...this.#headers,
      ...headers,
    })
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    try {
      const out = send(this.#url, {
        method,
        agent: false,
        signal: stop.signal,
        headers: { ...length, ...Object.fromEntries(all.filter(([, value]) => value !== undefined)) },
      })
      out.on('response', (incoming) => reply.read(incoming))
      // Messages received before the error still count. If a name has several addresses, their error has only a code.
      out.on('error', (error: NodeJS.ErrnoException) => finish('closed', error.message || error.code))
      out.end(body)
    } catch (thrown) {
      // Node refuses to send a header.
      finish('closed', thrown instanceof Error ? thrown.message : undefined)
    }
  }
}

/** The reply to one request. */
class Reply {
  onEnd: (end: Received['end'], why?: string) => void = () => {}
  readonly #messages: JsonObject[] = []
  readonly #sending: SendOptions
  readonly #note: (message: JsonObject) => void
  #text = ''
  #length = 0
  #incoming: IncomingMessage | undefined

  constructor(sending: SendOptions, note: (message: JsonObject) => void) {
    this.#sending = sending
    this.#note = note
  }

  read(incoming: IncomingMessage): void {
    this.#incoming = incoming
    if (this.#sending.headOnly) this.onEnd('found')
    const isStream = String(incoming.headers['content-type']).startsWith('text/event-stream')
    // The length of the whole reply is limited below, in characters.
    const decoder = isStream ? new wire.EventDecoder({ limit: 4 * maxReplyLength }) : undefined
    const whole: string[] = []
    incoming.setEncoding('utf8')
    incoming.on('data', (text: string) => {
      this.#length += text.length
      const { hold = () => true } = this.#sending
      if (this.#length > maxReplyLength || !hold(text)) return this.onEnd('closed', tooLong)
      this.#text = truncated(this.#text + text)
      if (decoder) this.#takeEvents(decoder, text)
      else whole.push(text)
    })
    incoming.on('end', () => {
      if (!decoder) this.#take(whole.join(''))
      this.onEnd('over')
    })
    incoming.on('error', () => this.onEnd('closed')) // cut off, but messages received before still count
  }

  heard(end: Received['end']): Received {
    const { statusCode, headers = {} } = this.#incoming ?? {}
    const flat = Object.entries(headers).map(([name, value]) => [name, String(value)])
    return {
      messages: [...this.#messages],
      text: this.#text,
      headers: Object.fromEntries(flat),
      end,
      ...(statusCode !== undefined && { status: statusCode }),
    }
  }

  /** Invalid UTF-8 has been replaced by now, so a wrong byte costs its own message only. */
  #takeEvents(decoder: wire.EventDecoder, text: string): void {
    for (const { data } of decoder.push(Buffer.from(text))) if (data !== '') this.#take(data)
  }

  #take(text: string): void {
    if (!this.#mayHoldMessages) return
    for (const message of parseMessages(text)?.filter((one) => this.#isMessage(one)) ?? []) {
      this.#messages.push(message)
      this.#note(message)
      // Wait a little for the end of the reply, because a check asks if streams end after their response.
      if (this.#sending.until(message)) setTimeout(() => this.onEnd('found'), endMs).unref()
    }
  }

  /** Only POST and GET are for messages; other methods may be answered with any body. */
  get #mayHoldMessages(): boolean {
    const { method = 'POST' } = this.#sending
    return method === 'POST' || method === 'GET'
  }

  /** An HTTP error may have any body: spec 2025-11-25, basic/transports#sending-messages-to-the-server */
  #isMessage(one: JsonObject): boolean {
    const { statusCode = 0 } = this.#incoming ?? {}
    return statusCode < 400 || 'jsonrpc' in one
  }
}

const endMs = 1_000

// A conversation with the server in one edition: raw, but with the words every request needs.
import type { Json, JsonObject } from 'toolwire'
import type { Edition } from './editions.js'
import type { Journal } from './journal.js'
import { isObject } from './json.js'
import { headersOf } from './request-headers.js'
import type { Heard, Sending, Wire } from './wire/wire.js'

export const clientInfo = { name: 'toolwire-check', version: '1.0.0' }
const prefix = 'io.modelcontextprotocol'
export const metaKeys = {
  version: `${prefix}/protocolVersion`,
  client: `${prefix}/clientInfo`,
  capabilities: `${prefix}/clientCapabilities`,
  server: `${prefix}/serverInfo`,
}

/** What one request is asked with, where it differs from the usual. */
export type Asking = {
  readonly id?: Json
  readonly ms?: number
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Beside or instead of what the edition wants; a key that is undefined is left out. */
  readonly meta?: { readonly [key: string]: Json | undefined }
  readonly schema?: Json | undefined
  readonly signal?: AbortSignal
}

/** What a request came to. */
export type Answered = Heard & { readonly response: JsonObject | undefined; readonly sent: string }

/** What is settled when a conversation opens, and lasts as long as it. */
export type Terms = {
  opening: JsonObject | undefined
  session: string | undefined
  lastId: number
  readonly answers: JsonObject[]
}
export const newTerms = (): Terms => ({ opening: undefined, session: undefined, lastId: 100, answers: [] })

export class Talk {
  readonly edition: Edition
  readonly wire: Wire
  readonly ms: number
  readonly terms: Terms
  readonly #journal: Journal

  constructor(parts: { wire: Wire; edition: Edition; ms: number; terms: Terms; journal: Journal }) {
    this.wire = parts.wire
    this.edition = parts.edition
    this.ms = parts.ms
    this.terms = parts.terms
    this.#journal = parts.journal
  }

  /** The same conversation, noted elsewhere. */
  with(journal: Journal): Talk {
    return new Talk({ wire: this.wire, edition: this.edition, ms: this.ms, terms: this.terms, journal })
  }

  nextId(): number {
    return ++this.terms.lastId
  }

  /** A request as this edition writes it. */
  request(method: string, params: JsonObject = {}, { id = this.nextId(), meta }: Asking = {}): JsonObject {
    const _meta = this.#meta(params, meta)
    return { jsonrpc: '2.0', id, method, params: Object.keys(_meta).length > 0 ? { ...params, _meta } : params }
  }

  /** Sends a request and waits for its response. */
  async ask(method: string, params: JsonObject = {}, asking: Asking = {}): Promise<Answered> {
    const message = this.request(method, params, asking)
    const heard = await this.say(JSON.stringify(message), {
      headers: { ...this.headers(message, asking.schema), ...asking.headers },
      until: (one) => answers(one, message.id),
      ...(asking.ms !== undefined && { ms: asking.ms }),
      ...(asking.signal && { signal: asking.signal }),
    })
    return { ...heard, response: heard.messages.find((one) => answers(one, message.id)), sent: JSON.stringify(message) }
  }

  async notify(method: string, params: JsonObject = {}): Promise<Heard> {
    const _meta = this.#meta(params, undefined)
    const message = { jsonrpc: '2.0', method, params: Object.keys(_meta).length > 0 ? { ...params, _meta } : params }
    return this.say(JSON.stringify(message), { headers: this.headers(message), ms: this.wire.kind === 'http' ? this.ms : 0 })
  }

  /** Sends exactly this, and collects what comes until something answers. */
  async say(body: string | Uint8Array | undefined, sending: Partial<Sending> = {}): Promise<Heard> {
    const heard = await this.wire.send(body, {
      ms: this.ms,
      until: isAnswer,
      ...sending,
      headers: { ...this.#sessionHeaders(), ...sending.headers },
    })
    const http = this.wire.kind === 'http'
    this.#journal.note({ body, ...(http && { method: sending.method ?? 'POST', headers: sending.headers }) }, heard)
    this.terms.answers.push(...heard.messages.filter(isAnswer))
    await this.#answerQuestions(heard)
    return heard
  }

  headers(message: JsonObject, schema?: Json): Record<string, string> {
    return this.wire.kind === 'http' ? headersOf(this.edition, message, schema) : {}
  }

  #meta(params: JsonObject, meta: Asking['meta']): JsonObject {
    const own = this.edition.handshake
      ? {}
      : { [metaKeys.version]: this.edition.version, [metaKeys.client]: clientInfo, [metaKeys.capabilities]: {} }
    const all = { ...own, ...(isObject(params._meta) ? params._meta : {}), ...meta }
    return JSON.parse(JSON.stringify(all)) // leaves out what is undefined
  }

  #sessionHeaders(): Record<string, string> {
    const { session, opening } = this.terms
    if (this.wire.kind !== 'http' || !this.edition.handshake || !opening) return {}
    return { 'mcp-protocol-version': this.edition.version, ...(session !== undefined && { 'mcp-session-id': session }) }
  }

  /** A server may wait for an answer before it goes on: pings are answered, all else is declined. */
  async #answerQuestions({ messages }: Heard): Promise<void> {
    for (const { id, method } of messages) {
      if (id === undefined || typeof method !== 'string' || !this.edition.handshake) continue
      const answer = method === 'ping' ? { result: {} } : { error: { code: -32601, message: 'This client answers nothing' } }
      await this.wire.send(JSON.stringify({ jsonrpc: '2.0', id, ...answer }), {
        ms: this.wire.kind === 'http' ? this.ms : 0,
        until: isAnswer,
        headers: this.#sessionHeaders(),
      })
    }
  }
}

/** Whether it is a response, to whatever request. */
export const isAnswer = (message: JsonObject): boolean => !('method' in message) && ('result' in message || 'error' in message)
const answers = (message: JsonObject, id: Json | undefined): boolean => isAnswer(message) && message.id === id

/** The code of an error response. */
export function codeOf(message: JsonObject | undefined): Json | undefined {
  return isObject(message?.error) ? message.error.code : undefined
}

export function resultOf(message: JsonObject | undefined): JsonObject | undefined {
  return isObject(message?.result) ? message.result : undefined
}

// A session with the server in one revision: raw messages, with the fields that the revision requires.
import type { Json, JsonObject } from 'toolwire'
import { type Connection, RateLimitedError, type Received, type RequestBody, type SendOptions } from '../connection/connection.js'
import { parseMessages } from '../connection/parse-messages.js'
import { isObject, jsonOf } from '../json.js'
import type { Revision } from '../revisions.js'
import { headersOf } from './request-headers.js'
import type { Transcript } from './transcript.js'

export const clientInfo = { name: 'toolwire-check', version: '1.0.0' }
const prefix = 'io.modelcontextprotocol'
export const metaKeys = {
  version: `${prefix}/protocolVersion`,
  client: `${prefix}/clientInfo`,
  capabilities: `${prefix}/clientCapabilities`,
  server: `${prefix}/serverInfo`,
}

export type RequestOptions = {
  readonly id?: Json
  readonly ms?: number
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Added to the fields that the revision requires; an undefined value removes a field. */
  readonly meta?: { readonly [key: string]: Json | undefined }
  readonly schema?: Json | undefined
  readonly signal?: AbortSignal
  /** The check looks for a rate limit, so one is no error. */
  readonly mayBeLimited?: boolean
}

export type RequestOutcome = Received & { readonly response: JsonObject | undefined; readonly sent: string }

/** State of a session, shared by all checks that use it. */
export class SessionState {
  opening: JsonObject | undefined
  session: string | undefined
  lastId: number
  /** The ids of all requests that went out, as JSON. */
  readonly asked = new Set<string>()
  /** Replies to messages that several checks share, by name; each is sent once. */
  readonly heard = new Map<string, Promise<Received>>()

  constructor(lastId: number) {
    this.lastId = lastId
  }
}

type SessionParts = Pick<Session, 'wire' | 'revision' | 'ms' | 'state' | 'server'> & { readonly transcript: Transcript }

export class Session {
  readonly revision: Revision
  readonly wire: Connection
  readonly ms: number
  readonly state: SessionState
  readonly server: { readonly probe: string }
  readonly #transcript: Transcript

  constructor({ wire, revision, ms, state, server, transcript }: SessionParts) {
    this.wire = wire
    this.revision = revision
    this.ms = ms
    this.state = state
    this.server = server
    this.#transcript = transcript
  }

  /** The same session with another transcript. */
  with(transcript: Transcript): Session {
    return new Session({ ...this, transcript })
  }

  /** The method of a request that the server answers with a result. */
  get probe(): string {
    return this.server.probe
  }

  nextId(): number {
    return ++this.state.lastId
  }

  /** A request in the form of this revision. */
  request(method: string, params: JsonObject = {}, { id = this.nextId(), meta }: RequestOptions = {}): JsonObject {
    const _meta = this.#meta(params, meta)
    return { jsonrpc: '2.0', id, method, params: Object.keys(_meta).length > 0 ? { ...params, _meta } : params }
  }

  async ask(method: string, params: JsonObject = {}, asking: RequestOptions = {}): Promise<RequestOutcome> {
    const message = this.request(method, params, asking)
    const headers = { ...this.headers(message, asking.schema), ...asking.headers }
    const heard = await this.sendRaw(JSON.stringify(message), { ...asking, headers, until: (one) => answers(one, message.id) })
    return { ...heard, response: heard.messages.find((one) => answers(one, message.id)), sent: JSON.stringify(message) }
  }

  async notify(method: string, params: JsonObject = {}): Promise<Received> {
    const _meta = this.#meta(params, undefined)
    const message = { jsonrpc: '2.0', method, params: Object.keys(_meta).length > 0 ? { ...params, _meta } : params }
    return this.send(message, { ms: this.wire.kind === 'http' ? this.ms : 0 })
  }

  send(message: JsonObject, sending: Partial<SendOptions> = {}): Promise<Received> {
    return this.sendRaw(JSON.stringify(message), { headers: this.headers(message), ...sending })
  }

  /**
   * Sends exactly this body, and collects messages until one answers it. Responses to other requests of this session, such as a cancelled
   * call, do not count.
   */
  async sendRaw(body: RequestBody, sending: Partial<SendOptions> & { mayBeLimited?: boolean } = {}): Promise<Received> {
    const own = idsIn(body)
    for (const id of own) this.state.asked.add(id)
    const isOfAnother = (one: JsonObject) => isResponseMessage(one) && !own.has(key(one.id)) && this.hasAsked(one.id)
    const { ms = this.ms, until = isResponseMessage } = sending
    let isTooMuch = false
    const heard = await this.wire.send(body, {
      ...sending,
      ms,
      until: (one) => !isOfAnother(one) && until(one),
      headers: { ...this.sessionHeaders(), ...sending.headers },
      hold: (text) => {
        isTooMuch ||= !this.#transcript.hold(text)
        return !isTooMuch
      },
    })
    // Other checks may hold most of it, so this shows no fault.
    if (isTooMuch) throw new Error('The server sends more than all checks together can hold')
    const http = this.wire.kind === 'http'
    this.#transcript.note({ body, ...(http && { method: sending.method ?? 'POST', headers: sending.headers }) }, heard)
    const messages = heard.messages.filter((one) => !isOfAnother(one))
    if (!sending.mayBeLimited) refuseLimited({ ...heard, messages })
    return { ...heard, messages }
  }

  /** Sends a message that several checks share, once for all of them. */
  once(name: string, send: () => Promise<Received>): Promise<Received> {
    const { heard } = this.state
    const made = heard.get(name) ?? this.keeping(send)
    heard.set(name, made)
    return made
  }

  /** Replies to this work are held until the end of all checks. */
  keeping<T>(work: () => Promise<T>): Promise<T> {
    return this.#transcript.keeping(work)
  }

  /** Did a request with this id go out in this session? */
  hasAsked(id: Json | undefined): boolean {
    return this.state.asked.has(key(id))
  }

  headers(message: JsonObject, schema?: Json): Record<string, string> {
    return this.wire.kind === 'http' ? headersOf(this.revision, message, schema) : {}
  }

  #meta(params: JsonObject, meta: RequestOptions['meta']): JsonObject {
    const own = this.revision.handshake
      ? {}
      : { [metaKeys.version]: this.revision.version, [metaKeys.client]: clientInfo, [metaKeys.capabilities]: {} }
    const all = { ...own, ...(isObject(params._meta) ? params._meta : {}), ...meta }
    return JSON.parse(JSON.stringify(all)) // removes undefined values
  }

  sessionHeaders(): Record<string, string> {
    const { session, opening } = this.state
    if (this.wire.kind !== 'http' || !this.revision.handshake || !opening) return {}
    return { 'mcp-protocol-version': this.revision.version, ...(session !== undefined && { 'mcp-session-id': session }) }
  }

  /** Answers pings and declines all other requests, because a server may wait for the response. */
  async answer({ id, method }: JsonObject): Promise<void> {
    if ((typeof id !== 'string' && typeof id !== 'number') || !this.revision.handshake) return
    const answer = method === 'ping' ? { result: {} } : { error: { code: -32601, message: 'This client answers nothing' } }
    await this.wire.send(JSON.stringify({ jsonrpc: '2.0', id, ...answer }), {
      ms: this.wire.kind === 'http' ? this.ms : 0,
      until: isResponseMessage,
      headers: this.sessionHeaders(),
      headOnly: true,
    })
  }
}

const key = (id: Json | undefined): string => jsonOf(id ?? null)

/** The ids of the messages in a body. */
function idsIn(body: RequestBody): ReadonlySet<string> {
  const messages = typeof body === 'string' && body.length < longestRead ? (parseMessages(body) ?? []) : []
  return new Set(messages.flatMap(({ id }) => (typeof id === 'string' || typeof id === 'number' ? [key(id)] : [])))
}
const longestRead = 100_000

/** Was a request refused for a rate limit? */
export const isRateLimited = ({ status, messages }: Pick<Received, 'status' | 'messages'>): boolean =>
  status === 429 || messages.some(isRateLimitError)
const isRateLimitError = ({ error }: JsonObject): boolean =>
  isObject(error) && (error.code === 429 || (isObject(error.data) && typeof error.data.retryAfterMs === 'number'))

function refuseLimited(heard: Pick<Received, 'status' | 'messages'>): void {
  if (isRateLimited(heard))
    throw new RateLimitedError('The rate limit of the server was reached. Use a key without one, or run fewer checks with --only')
}

export const isResponseMessage = (message: JsonObject): boolean =>
  !('method' in message) && ('result' in message || 'error' in message)
const answers = (message: JsonObject, id: Json | undefined): boolean => isResponseMessage(message) && message.id === id

export function errorCodeOf(message: JsonObject | undefined): Json | undefined {
  return isObject(message?.error) ? message.error.code : undefined
}

export function resultOf(message: JsonObject | undefined): JsonObject | undefined {
  return isObject(message?.result) ? message.result : undefined
}

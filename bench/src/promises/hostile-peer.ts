// A server that can send anything.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json, JsonObject } from 'toolwire'

/** Answers by method, in place of the usual ones. A `raw` answer is sent as it is. */
export type Answers = { readonly [method: string]: (params: JsonObject, ask: Ask) => object | undefined }
export type Raw = { readonly raw: (response: ServerResponse, id: Json) => void }
type Ask = { readonly id: Json }

const isRaw = (answer: object): answer is Raw => 'raw' in answer

const usual: Answers = {
  initialize: ({ protocolVersion = '2025-11-25' }) => ({
    protocolVersion: protocolVersion === '2025-11-25' ? protocolVersion : '2025-11-25',
    capabilities: {
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    },
    serverInfo: { name: 'stranger', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
  'resources/list': () => ({ resources: [{ name: 'fixed', uri: 'memo://fixed' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [{ name: 'any', uriTemplate: 'memo://any/{a}' }] }),
  'prompts/list': () => ({ prompts: [{ name: 'about', arguments: [{ name: 'what' }] }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'ok' }] }),
  'resources/subscribe': () => ({}),
  'resources/read': () => ({ contents: [{ uri: 'memo://fixed', text: 'ok' }] }),
  'prompts/get': () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'ok' } }] }),
  'completion/complete': () => ({ completion: { values: ['a'] } }),
}

export class HostilePeer {
  readonly port: number
  /** Answers to use from now on. */
  answers: Answers = {}
  readonly asked = new Map<string, number>()
  readonly #streams = new Set<ServerResponse>()
  readonly #pings = new Map<Json, () => void>()
  readonly #close: () => void
  #pingCount = 0

  private constructor(port: number, close: () => void) {
    this.port = port
    this.#close = close
  }

  static async start(): Promise<HostilePeer> {
    const http = createServer((request, response) => {
      const pieces: Buffer[] = []
      request.on('data', (piece: Buffer) => pieces.push(piece))
      request.on('end', () => peer.#answer(request.method ?? '', Buffer.concat(pieces).toString(), response))
      response.on('error', () => undefined)
    })
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    const peer = new HostilePeer((http.address() as AddressInfo).port, () => {
      http.closeAllConnections()
      http.close()
    })
    return peer
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`
  }

  /** Writes a text to every open stream. */
  tell(text: string): void {
    for (const stream of this.#streams) stream.write(text)
  }

  get listeners(): number {
    return this.#streams.size
  }

  notify(method: string, params: object = {}): void {
    this.tell(event({ jsonrpc: '2.0', method, params }))
  }

  /** Resolves when the other side has handled everything that was sent before. */
  async handled(): Promise<void> {
    const id = `ping ${this.#pingCount++}`
    const answered = new Promise<void>((resolve) => this.#pings.set(id, resolve))
    this.tell(event({ jsonrpc: '2.0', id, method: 'ping' }))
    await answered
  }

  close(): void {
    this.#close()
  }

  #answer(how: string, text: string, response: ServerResponse): void {
    if (how === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      this.#streams.add(response)
      response.on('close', () => this.#streams.delete(response))
      return
    }
    if (how !== 'POST') return void response.writeHead(200).end()
    const message: unknown = JSON.parse(text)
    if (!isObject(message) || message.id === undefined) return void response.writeHead(202).end()
    const { method, params, id } = message as JsonObject & { id: Json }
    if (method === undefined) {
      this.#pings.get(id)?.()
      return void response.writeHead(202).end()
    }
    const name = String(method)
    this.asked.set(name, (this.asked.get(name) ?? 0) + 1)
    const answer = (this.answers[name] ?? usual[name])?.((params ?? {}) as JsonObject, { id })
    if (answer && isRaw(answer)) return void answer.raw(response, id)
    const headers = { 'content-type': 'application/json', ...(name === 'initialize' && { 'mcp-session-id': 'stranger' }) }
    const said =
      answer === undefined
        ? { jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } }
        : { jsonrpc: '2.0', id, result: answer }
    response.writeHead(200, headers).end(JSON.stringify(said))
  }
}

export const event = (message: object): string => `data: ${JSON.stringify(message)}\n\n`

/** Answers with an event stream. `pour` writes its text in pieces while the other side reads. */
export const streamed = (pour: (write: (text: string) => Promise<boolean>, id: Json) => Promise<void>): Raw => ({
  raw(response, id) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const write = (text: string) =>
      new Promise<boolean>((resolve) => {
        if (response.destroyed || response.writableEnded) return resolve(false)
        const done = () => {
          response.off('close', done).off('drain', done)
          resolve(!response.destroyed)
        }
        response.on('close', done)
        if (response.write(text)) setImmediate(done)
        else response.on('drain', done)
      })
    void pour(write, id).then(() => response.end())
  },
})

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

// An in-memory pipe to a server, on which a test writes every line itself.
import { parseMessageJson } from '../../src/json/parse.js'
import type { Json, JsonObject } from '../../src/json.js'
import type { Served } from '../../src/peer/application.js'
import { metaKeys } from '../../src/revisions/meta-keys.js'
import { type Caller, localUser } from '../../src/tools/caller.js'
import { type ClientEnd, memoryPair } from '../../src/transports/memory/memory-pair.js'

export type Reply = { id?: Json; method?: string; params?: JsonObject; result?: JsonObject; error?: JsonObject }

export const clientInfo = { name: 'test', version: '1.0.0' }

/** The metadata of a request in 2026-07-28, with optional additions to `_meta`. */
export const said = (capabilities: JsonObject = {}, more: JsonObject = {}): { _meta: JsonObject } => ({
  _meta: {
    [metaKeys.protocolVersion]: '2026-07-28',
    [metaKeys.clientInfo]: clientInfo,
    [metaKeys.clientCapabilities]: capabilities,
    ...more,
  },
})

export class Pipe {
  /** All messages of the server, as raw text. */
  readonly texts: string[] = []
  readonly #end: ClientEnd
  #waiting: { readonly fits: (reply: Reply) => boolean; readonly resolve: (reply: Reply) => void }[] = []
  #lastId = 100

  constructor(app: Served, caller: Partial<Caller> = {}) {
    this.#end = memoryPair(app['~application'], { ...localUser, ...caller })
    this.#end.onMessage((text) => {
      this.texts.push(text)
      this.#settle(parseMessageJson(text) as Reply)
    })
  }

  get replies(): Reply[] {
    return this.texts.map((text) => parseMessageJson(text) as Reply)
  }

  send(message: object | string | Uint8Array): void {
    this.#end.send(typeof message === 'string' || message instanceof Uint8Array ? message : JSON.stringify(message))
  }

  /** Sends a message, and returns the next message of the server. */
  async say(message: object | string | Uint8Array): Promise<Reply> {
    const next = this.#hear(() => true)
    this.send(message)
    return next
  }

  /** Sends a request, and returns its response, ignoring messages in between. */
  async ask(method: string, params?: JsonObject): Promise<Reply> {
    const id = ++this.#lastId
    const answer = this.#hear((reply) => reply.id === id && reply.method === undefined)
    this.send({ jsonrpc: '2.0', id, method, ...(params && { params }) })
    return answer
  }

  notify(method: string, params?: JsonObject): void {
    this.send({ jsonrpc: '2.0', method, ...(params && { params }) })
  }

  async open(revision: string, capabilities: JsonObject = {}): Promise<Reply> {
    const reply = await this.ask('initialize', { protocolVersion: revision, capabilities, clientInfo })
    this.notify('notifications/initialized')
    return reply
  }

  close(): void {
    this.#end.close()
  }

  #hear(fits: (reply: Reply) => boolean): Promise<Reply> {
    return new Promise((resolve) => this.#waiting.push({ fits, resolve }))
  }

  #settle(reply: Reply): void {
    const found = this.#waiting.find(({ fits }) => fits(reply))
    this.#waiting = this.#waiting.filter((one) => one !== found)
    found?.resolve(reply)
  }
}

/** A connected client of the revision. `params` adds the metadata that each request needs. */
export async function speaking(app: Served, revision: string, capabilities: JsonObject = {}, caller: Partial<Caller> = {}) {
  const pipe = new Pipe(app, caller)
  const params = (given: JsonObject = {}): JsonObject => (revision === '2026-07-28' ? { ...given, ...said(capabilities) } : given)
  if (revision !== '2026-07-28') await pipe.open(revision, capabilities)
  return { pipe, params, ask: (method: string, given?: JsonObject) => pipe.ask(method, params(given)) }
}

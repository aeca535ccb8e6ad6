// A client of the latest revision that answers no question by itself. Every request is independent, as over HTTP.
import type { Caller } from 'toolwire'
import type { JsonObject } from '../../../src/json.js'
import type { Served } from '../../../src/peer/application.js'
import { Conversation } from '../../../src/peer/conversation.js'
import { localUser } from '../../../src/tools/caller.js'
import '../../reported-faults.js'
import { complaints } from '../../official-schemas.js'
import { type Reply, said } from '../pipe.js'

export const able = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }

export type Asked = JsonObject & { inputRequests?: Record<string, { method: string; params: JsonObject }>; requestState?: string }
type Params = JsonObject & { name?: string; uri?: string }

export class Rounder {
  readonly #app: Served
  readonly #caller: Caller
  readonly #capabilities: JsonObject
  #lastId = 0

  constructor(app: Served, { caller = {}, capabilities = able }: { caller?: Partial<Caller>; capabilities?: JsonObject } = {}) {
    this.#app = app
    this.#caller = { ...localUser, ...caller }
    this.#capabilities = capabilities
  }

  async send(method: string, params: Params): Promise<Reply> {
    const request = { jsonrpc: '2.0', id: ++this.#lastId, method, params: { ...params, ...said(this.#capabilities) } } as const
    const line = { send: () => undefined, header: undefined, hangUp: undefined, twoWay: false }
    const answer = await this.#app['~application'].receive({ kind: 'request', request }, new Conversation(this.#caller), line)
    const body = answer?.body ?? ''
    return JSON.parse(typeof body === 'string' ? body : Buffer.concat(body).toString())
  }

  call(name: string, more: JsonObject = {}): Promise<Reply> {
    return this.send('tools/call', { name, ...more })
  }

  /** Sends a request that must be answered with questions, which are validated by the official schema. */
  async asked(method: string, params: Params): Promise<Asked> {
    const reply = await this.send(method, params)
    // The result schema of prompts/get has no third alternative that any result would match.
    const wrong = complaints('2026-07-28', { ...reply, id: 1 }, 'prompts/get')
    if (reply.result?.resultType !== 'input_required' || wrong.length > 0)
      throw new Error(`No questions: ${JSON.stringify(reply)} ${wrong.join('; ')}`)
    return reply.result as Asked
  }
}

export const accept = (content: JsonObject = {}): JsonObject => ({ action: 'accept', content })

/** The text of a tool result. */
export const textOf = ({ result }: Reply): string => (result?.content as { text: string }[] | undefined)?.[0]?.text ?? ''

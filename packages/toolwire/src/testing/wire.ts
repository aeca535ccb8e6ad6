// The wire between the harness and the server: text in both directions, as on any other.
import { encodeJson, type JsonObject } from '../json.js'
import { codes } from '../jsonrpc/error.js'
import {
  encodeErrorResponse,
  encodeResultResponse,
  type Id,
  type Message,
  type Request,
  type Response,
} from '../jsonrpc/message.js'
import { readMessage, type SingleMessage } from '../jsonrpc/read-message.js'
import type { Application } from '../peer/application.js'
import type { Caller } from '../tools/caller.js'
import { type ClientEnd, memoryPair } from '../transports/memory/memory-pair.js'
import type { HarnessQuestion } from './answer-question.js'

/** A message that went over the wire, and who sent it. */
export type Frame = { readonly from: 'client' | 'server'; readonly message: JsonObject }
type AnswerHandler = (question: HarnessQuestion) => Promise<JsonObject>

export class Wire {
  readonly frames: Frame[] = []
  readonly #end: ClientEnd
  readonly #answer: AnswerHandler
  readonly #pending = new Map<
    Id,
    { resolve: (response: Response) => void; onProgress: ((progress: JsonObject) => void) | undefined }
  >()
  readonly #listeners = new Set<(message: JsonObject) => void>()

  constructor(app: Application, caller: Caller, answer: AnswerHandler) {
    this.#answer = answer
    this.#end = memoryPair(app, caller)
    this.#end.onMessage((message) => this.#receive(message))
  }

  ask(request: Request, onProgress?: (progress: JsonObject) => void): Promise<Response> {
    const response = new Promise<Response>((resolve) => this.#pending.set(request.id, { resolve, onProgress }))
    this.send(request)
    return response
  }

  send(message: Message): void {
    this.sendRaw(encodeJson(message))
  }

  sendRaw(text: string | Uint8Array): void {
    if (readMessage(text).kind !== 'invalid')
      this.frames.push({ from: 'client', message: JSON.parse(typeof text === 'string' ? text : new TextDecoder().decode(text)) })
    this.#end.send(text)
  }

  heard(method?: string): JsonObject[] {
    const messages = this.frames.flatMap(({ from, message }) => (from === 'server' && 'method' in message ? [message] : []))
    return method === undefined ? messages : messages.filter((message) => message.method === method)
  }

  hear(method: string, ms: number): Promise<JsonObject> {
    const already = this.heard(method).at(-1)
    if (already) return Promise.resolve(already)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`The server sent no ${method} within ${ms} ms`)), ms)
      const listener = (message: JsonObject) => {
        if (message.method !== method) return
        clearTimeout(timer)
        this.#listeners.delete(listener)
        resolve(message)
      }
      this.#listeners.add(listener)
    })
  }

  close(): void {
    this.#end.close()
  }

  #receive(text: string): void {
    const parsed = readMessage(text)
    for (const single of parsed.kind === 'batch' ? parsed.items : [parsed]) this.#take(single)
  }

  #take(single: SingleMessage): void {
    if (single.kind === 'invalid') throw new Error(`The server sent an invalid message: ${single.error.message}`)
    if (single.kind === 'response') {
      this.#settle(single.response)
      return
    }
    const message = single.kind === 'request' ? single.request : single.notification
    this.#keep(message)
    if (single.kind === 'request') void this.#reply(single.request)
    if (message.method === 'notifications/progress') this.#progress(message.params ?? {})
    for (const listener of this.#listeners) listener(message as unknown as JsonObject) // a message is JSON
  }

  #settle(response: Response): void {
    this.#keep(response)
    if (response.id === null || response.id === undefined) return
    this.#pending.get(response.id)?.resolve(response)
    this.#pending.delete(response.id)
  }

  #progress(params: JsonObject): void {
    this.#pending.get(params.progressToken as Id)?.onProgress?.(params)
  }

  async #reply({ id, method, params = {} }: Request): Promise<void> {
    if (method === 'ping') return this.sendRaw(encodeResultResponse(id, '{}'))
    try {
      this.sendRaw(encodeResultResponse(id, encodeJson(await this.#answer({ key: undefined, method, params }))))
    } catch (thrown) {
      this.sendRaw(
        encodeErrorResponse(id, {
          code: codes.internalError,
          message: thrown instanceof Error ? thrown.message : String(thrown),
        }),
      )
    }
  }

  #keep(message: object): void {
    this.frames.push({ from: 'server', message: message as JsonObject })
  }
}

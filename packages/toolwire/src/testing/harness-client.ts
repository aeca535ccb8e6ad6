// Dispose with `await using`, also where the program names no library of the language newer than its target.
/// <reference lib="esnext.disposable" preserve="true" />
// What a client does with the wire: sends requests, answers the questions that come back as results, cancels.

import { rejectOnAbort } from '../bounds/reject-on-abort.js'
import type { JsonObject } from '../json.js'
import { RpcError } from '../jsonrpc/error.js'
import type { Id } from '../jsonrpc/message.js'
import { metaOf } from '../revisions/meta-keys.js'
import type { CallResult } from '../tools/call-result.js'
import { type Answers, answerQuestion, type HarnessQuestion } from './answer-question.js'
import type { ClientProtocol } from './client-protocol.js'
import type { Frame, Wire } from './wire.js'

/** What one call brings along. */
export type HarnessCallOptions = {
  onProgress?: (progress: JsonObject) => void
  signal?: AbortSignal
  meta?: JsonObject
  task?: JsonObject
}

const mostRounds = 12

export class HarnessClient {
  readonly revision: string
  readonly #wire: Wire
  readonly #speech: ClientProtocol
  readonly #answers: Answers
  #lastId = 0

  constructor(wire: Wire, speech: ClientProtocol, answers: Answers) {
    this.#wire = wire
    this.#speech = speech
    this.#answers = answers
    this.revision = speech.revision.version
  }

  get frames(): readonly Frame[] {
    return this.#wire.frames
  }

  async call(name: string, args: JsonObject = {}, options: HarnessCallOptions = {}): Promise<CallResult & JsonObject> {
    const result = await this.request(
      'tools/call',
      { name, arguments: args, ...(options.task && { task: options.task }) },
      options,
    )
    return result as CallResult & JsonObject // what a server sends is checked by the tests that look at it
  }

  /** Goes as many rounds as the server has questions. */
  async request(method: string, params: JsonObject = {}, options: HarnessCallOptions = {}): Promise<JsonObject> {
    let more: JsonObject = {}
    for (let round = 0; round < mostRounds; round++) {
      const result = await this.#once(method, { ...params, ...more }, options)
      if (result.resultType !== 'input_required') return result
      more = await this.#answersTo(result)
    }
    throw new Error(`${method} still asks after ${mostRounds} rounds`)
  }

  notify(method: string, params?: JsonObject): void {
    this.#wire.send({ jsonrpc: '2.0', method, ...(params && { params }) })
  }

  send(text: string | Uint8Array): void {
    this.#wire.sendRaw(text)
  }

  heard(method?: string): JsonObject[] {
    return this.#wire.heard(method)
  }

  hear(method: string, ms = 2_000): Promise<JsonObject> {
    return this.#wire.hear(method, ms)
  }

  close(): void {
    this.#wire.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
  }

  async #once(method: string, params: JsonObject, { onProgress, signal, meta }: HarnessCallOptions): Promise<JsonObject> {
    const id: Id = ++this.#lastId
    const _meta = {
      ...this.#speech.meta,
      ...meta,
      ...(onProgress && { progressToken: id }),
      ...metaOf(params),
    }
    const full = Object.keys(_meta).length > 0 ? { ...params, _meta } : params
    const response = this.#wire.ask({ jsonrpc: '2.0', id, method, params: full }, onProgress)
    signal?.addEventListener('abort', () =>
      this.notify('notifications/cancelled', { requestId: id, reason: String(signal.reason) }),
    )
    const settled = await (signal ? Promise.race([response, rejectOnAbort(signal)]) : response)
    if ('error' in settled) throw new RpcError(settled.error.code, settled.error.message, { data: settled.error.data })
    return settled.result
  }

  async #answersTo({ inputRequests, requestState }: JsonObject): Promise<JsonObject> {
    const questions = Object.entries((inputRequests ?? {}) as Record<string, Omit<HarnessQuestion, 'key'>>)
    const responses = await Promise.all(
      questions.map(async ([key, question]) => [key, await answerQuestion({ key, ...question }, this.#answers)] as const),
    )
    const inputResponses = Object.fromEntries(responses)
    return { ...(questions.length > 0 && { inputResponses }), ...(requestState !== undefined && { requestState }) }
  }
}

// Lets programs use `await using` even if their `lib` option does not include disposables.
/// <reference lib="esnext.disposable" preserve="true" />
// The client of the harness: sends and cancels requests, and answers the questions that come back as results.

import { rejectOnAbort } from '../bounds/reject-on-abort.js'
import type { JsonObject } from '../json.js'
import { RpcError } from '../jsonrpc/error.js'
import { metaOf } from '../revisions/meta-keys.js'
import type { CallResult } from '../tools/call-result.js'
import { type Answers, answerQuestion, type HarnessQuestion } from './answer-question.js'
import type { Wire } from './wire.js'

export type HarnessCallOptions = {
  onProgress?: (progress: JsonObject) => void
  signal?: AbortSignal
  meta?: JsonObject
  task?: JsonObject
}

const mostRounds = 12

export type HarnessClient = ReturnType<typeof harnessClient>

/** `meta` is the `_meta` of every request. */
export function harnessClient({ ask, sendMessage, ...wire }: Wire, meta: JsonObject, answers: Answers) {
  let lastId = 0

  const notify = (method: string, params?: JsonObject): void => sendMessage({ jsonrpc: '2.0', method, ...(params && { params }) })

  async function once(method: string, params: JsonObject, options: HarnessCallOptions): Promise<JsonObject> {
    const { onProgress, signal } = options
    const id = ++lastId
    const _meta = { ...meta, ...options.meta, ...(onProgress && { progressToken: id }), ...metaOf(params) }
    const full = Object.keys(_meta).length > 0 ? { ...params, _meta } : params
    const response = ask({ jsonrpc: '2.0', id, method, params: full }, onProgress)
    signal?.addEventListener('abort', () => notify('notifications/cancelled', { requestId: id, reason: String(signal.reason) }))
    const settled = await (signal ? Promise.race([response, rejectOnAbort(signal)]) : response)
    if ('error' in settled) throw new RpcError(settled.error.code, settled.error.message, { data: settled.error.data })
    return settled.result
  }

  async function answersTo({ inputRequests, requestState }: JsonObject): Promise<JsonObject> {
    const questions = Object.entries((inputRequests ?? {}) as Record<string, Omit<HarnessQuestion, 'key'>>)
    const responses = await Promise.all(
      questions.map(async ([key, question]) => [key, await answerQuestion({ key, ...question }, answers)] as const),
    )
    const inputResponses = Object.fromEntries(responses)
    return { ...(questions.length > 0 && { inputResponses }), ...(requestState !== undefined && { requestState }) }
  }

  /** Sends a request, and again with answers as long as the server has questions. */
  async function request(method: string, params: JsonObject = {}, options: HarnessCallOptions = {}): Promise<JsonObject> {
    let more: JsonObject = {}
    for (let round = 0; round < mostRounds; round++) {
      const result = await once(method, { ...params, ...more }, options)
      if (result.resultType !== 'input_required') return result
      more = await answersTo(result)
    }
    throw new Error(`${method} still asks after ${mostRounds} rounds`)
  }

  return {
    ...wire,
    notify,
    request,
    async call(name: string, args: JsonObject = {}, options: HarnessCallOptions = {}): Promise<CallResult & JsonObject> {
      const params = { name, arguments: args, ...(options.task && { task: options.task }) }
      return (await request('tools/call', params, options)) as CallResult & JsonObject // checked by the tests that look at it
    },
    async [Symbol.asyncDispose](): Promise<void> {
      wire.close()
    },
  }
}

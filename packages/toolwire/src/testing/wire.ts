// The connection between the harness and the server: text in both directions, as in any transport.
import { withDeadline } from '../bounds/deadline.js'
import { decodeUtf8 } from '../json/utf8.js'
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
import { memoryPair } from '../transports/memory/memory-pair.js'
import type { HarnessQuestion } from './answer-question.js'

export type Frame = { readonly from: 'client' | 'server'; readonly message: JsonObject }
type ProgressListener = (progress: JsonObject) => void

export type Wire = ReturnType<typeof openWire>

export function openWire(app: Application, caller: Caller, answer: (question: HarnessQuestion) => Promise<JsonObject>) {
  const frames: Frame[] = []
  const pending = new Map<Id, { resolve: (response: Response) => void; onProgress: ProgressListener | undefined }>()
  const listeners = new Set<(message: JsonObject) => void>()
  const end = memoryPair(app, caller)

  function send(text: string | Uint8Array): void {
    if (readMessage(text).kind !== 'invalid')
      frames.push({ from: 'client', message: JSON.parse(typeof text === 'string' ? text : decodeUtf8(text)) })
    end.send(text)
  }
  const sendMessage = (message: Message): void => send(encodeJson(message))

  function heard(method?: string): JsonObject[] {
    const messages = frames.flatMap(({ from, message }) => (from === 'server' && 'method' in message ? [message] : []))
    return method === undefined ? messages : messages.filter((message) => message.method === method)
  }

  async function reply({ id, method, params = {} }: Request): Promise<void> {
    if (method === 'ping') return send(encodeResultResponse(id, '{}'))
    try {
      send(encodeResultResponse(id, encodeJson(await answer({ key: undefined, method, params }))))
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown)
      send(encodeErrorResponse(id, { code: codes.internalError, message }))
    }
  }

  function take(single: SingleMessage) {
    if (single.kind === 'invalid') throw new Error(`The server sent an invalid message: ${single.error.message}`)
    if (single.kind === 'response') return settle(single.response)
    const message = single.kind === 'request' ? single.request : single.notification
    keep(message)
    if (single.kind === 'request') void reply(single.request)
    if (message.method === 'notifications/progress')
      pending.get(message.params?.progressToken as Id)?.onProgress?.(message.params ?? {})
    for (const listener of listeners) listener(message as unknown as JsonObject) // a message is JSON
  }

  function settle(response: Response): void {
    keep(response)
    if (response.id === null || response.id === undefined) return
    pending.get(response.id)?.resolve(response)
    pending.delete(response.id)
  }

  const keep = (message: object) => frames.push({ from: 'server', message: message as JsonObject })

  end.onMessage((text) => {
    const parsed = readMessage(text)
    for (const single of parsed.kind === 'batch' ? parsed.items : [parsed]) take(single)
  })
  return {
    frames,
    send,
    sendMessage,
    ask(request: Request, onProgress?: ProgressListener): Promise<Response> {
      const response = new Promise<Response>((resolve) => pending.set(request.id, { resolve, onProgress }))
      sendMessage(request)
      return response
    },
    heard,
    async hear(method: string, ms = 2_000): Promise<JsonObject> {
      const already = heard(method).at(-1)
      if (already) return already
      let listener!: (message: JsonObject) => void
      const next = new Promise<JsonObject>((resolve) => {
        listener = (message) => message.method === method && resolve(message)
      })
      listeners.add(listener)
      const late = () => Promise.reject(new Error(`The server sent no ${method} within ${ms} ms`))
      return withDeadline(ms, next, late).finally(() => listeners.delete(listener))
    },
    close: end.close,
  }
}

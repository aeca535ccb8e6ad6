// Per-request messages, each with its own response stream, as over HTTP.

import type { JsonObject, Server } from 'toolwire'
import { Conversation } from '../../src/peer/conversation.js'
import { metaKeys } from '../../src/revisions/meta-keys.js'
import { anonymous } from '../../src/tools/caller.js'

const said = {
  [metaKeys.protocolVersion]: '2026-07-28',
  [metaKeys.clientCapabilities]: {},
  [metaKeys.clientInfo]: { name: 'lines', version: '1' },
}

export type Posted = {
  /** The messages on the stream including the response, in order. */
  readonly stream: readonly JsonObject[]
  readonly answer: Promise<JsonObject | undefined>
  cancel(): void
}

/** Sends one request. `headers` are copies of values in the body; without them the request arrives as over a pipe. */
export function post(app: Server, request: { method: string; params: JsonObject }, headers?: Record<string, string>): Posted {
  const application = app['~application']
  const conversation = new Conversation(anonymous)
  const stream: JsonObject[] = []
  const take = (text: string) => stream[stream.push(JSON.parse(text)) - 1]
  const line = { send: (text: string) => void take(text), header: headers && headerOf(headers), hangUp: undefined, twoWay: false }
  const params = { ...request.params, _meta: { ...said, ...(request.params._meta as JsonObject | undefined) } }
  const message = { kind: 'request', request: { jsonrpc: '2.0', id: 1, method: request.method, params } } as const
  const answer = Promise.resolve(application.receive(message, conversation, line)).then(
    (given) => given && take(String(given.body)),
  )
  return { stream, answer, cancel: () => application.leave(conversation) }
}

export const call = (app: Server, name: string, params: JsonObject = {}, headers?: Record<string, string>): Posted =>
  post(app, { method: 'tools/call', params: { name, ...params } }, headers)

const headerOf = (headers: Record<string, string>) => {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return (name: string) => lower.get(name)
}

// Functions that build faults: changes of requests, responses, headers and streams.
import type { Json, JsonObject } from 'toolwire'
import type { Fault, ProxyResponse } from '../faulty.js'

type Tool = JsonObject & { name: string }
export type Case = readonly [row: string, revision: string, fault: () => Fault]

export const first = '2024-11-05'
export const streamable = '2025-03-26'
export const structured = '2025-06-18'
export const dialects = '2025-11-25'
export const stateless = '2026-07-28'

export const asObject = (value: Json | undefined): JsonObject => (value ?? {}) as JsonObject // tests know the type
export const body = (message: Json): { body: Buffer } => ({ body: Buffer.from(JSON.stringify(message)) })
export const toolOf = (message: JsonObject): Json | undefined => asObject(message.params).name

/** Changes the responses to a method. */
export const onMethod =
  (method: string, change: (reply: JsonObject) => JsonObject): (() => Fault) =>
  () => ({
    changeMessage: (reply, message) => (message.method === method ? change(reply) : reply),
  })
export const withError = (reply: JsonObject, change: JsonObject): JsonObject => ({
  ...reply,
  error: { ...asObject(reply.error), ...change },
})
export const withResult = (reply: JsonObject, change: JsonObject): JsonObject =>
  'result' in reply ? { ...reply, result: { ...asObject(reply.result), ...change } } : reply

/** Changes the tools in each list. */
export const changingTools = (change: (tools: Tool[]) => Json): (() => Fault) =>
  onMethod('tools/list', (reply) =>
    Array.isArray(asObject(reply.result).tools)
      ? withResult(reply, { tools: change(asObject(reply.result).tools as Tool[]) })
      : reply,
  )
export const changingBuyTool = (change: JsonObject) =>
  changingTools((tools) => tools.map((tool) => (tool.name === 'buy' ? { ...tool, ...change } : tool)))

/** Changes the results of a tool. */
export const changingToolResult =
  (name: string, change: JsonObject): (() => Fault) =>
  () => ({
    changeMessage: (reply, message) => (toolOf(message) === name && !('method' in reply) ? withResult(reply, change) : reply),
  })

/** Replaces a request before the server receives it. */
export const replacingRequest =
  (isIt: (message: JsonObject) => boolean, change: (message: JsonObject) => Json): (() => Fault) =>
  () => ({
    changeRequest: (_, message) => (isIt(message) ? body(change(message)) : undefined),
  })
export const withParams = (message: JsonObject, params: JsonObject): JsonObject => ({
  ...message,
  params: { ...asObject(message.params), ...params },
})
export const withArguments = (message: JsonObject, args: JsonObject): JsonObject => withParams(message, { arguments: args })
export const argumentsOf = (message: JsonObject): JsonObject => asObject(asObject(message.params).arguments)

/** Changes the value of one header of a request. */
export const changingHeader =
  (name: string, from: string | undefined, to: string | undefined): (() => Fault) =>
  () => ({
    changeRequest: ({ headers }, message) => {
      if (headers[name] !== from || message.method === undefined || asObject(message.params).name === 7) return undefined
      const { [name]: _, ...rest } = headers
      return { headers: to === undefined ? rest : { ...rest, [name]: to } }
    },
  })

export const onText =
  (text: string, fault: Fault): (() => Fault) =>
  () => ({
    changeResponse: (reply, message, request) =>
      request.body.toString() === text ? fault.changeResponse?.(reply, message, request) : undefined,
  })
export const changed = (text: string, change: (reply: JsonObject) => JsonObject) =>
  onText(text, { changeResponse: (reply) => ({ text: JSON.stringify(change(JSON.parse(reply.text))) }) })
export const status =
  (isIt: (message: JsonObject) => boolean, code: number): (() => Fault) =>
  () => ({
    changeResponse: (_, message) => (isIt(message) ? { status: code } : undefined),
  })
export const isUnknownMethod = ({ method }: JsonObject): boolean => method === 'tools/nobody-knows-this'
export const isNoTool = (message: JsonObject): boolean => toolOf(message) === 'no-tool-has-this-name'
export const metaOf = (message: JsonObject): JsonObject => asObject(asObject(message.params)._meta)
export const version = 'io.modelcontextprotocol/protocolVersion'
export const clientCapabilities = 'io.modelcontextprotocol/clientCapabilities'

export function firstTime(fault: (message: JsonObject) => boolean, change: (message: JsonObject) => Json): () => Fault {
  return () => {
    let done = false
    return {
      changeRequest: (_, message) => {
        if (done || !fault(message)) return undefined
        done = true
        return body(change(message))
      },
    }
  }
}

/** An error response without a request id. */
export const refusal = (status: number): Partial<ProxyResponse> => ({
  status,
  text: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'No' } }),
})

export const always = (): boolean => true

/** Changes the stream that answers the calls of one tool. */
export const changingStream =
  (
    isIt: (message: JsonObject) => boolean,
    change: (reply: ProxyResponse, message: JsonObject) => Partial<ProxyResponse>,
  ): (() => Fault) =>
  () => ({
    changeResponse: (reply, message) => (toolOf(message) === 'steps' && isIt(message) ? change(reply, message) : undefined),
  })

/** An event stream with the original response, and with other messages before and after it. */
export function streamed(...parts: readonly (ProxyResponse | JsonObject)[]): Partial<ProxyResponse> {
  const reply = parts.find(isResponse)
  const text = parts.map((part) => (isResponse(part) ? eventsOf(part) : eventOf(JSON.stringify(part)))).join('')
  return { headers: { ...reply?.headers, 'content-type': 'text/event-stream' }, text }
}

const isResponse = (part: ProxyResponse | JsonObject): part is ProxyResponse => 'status' in part
const eventOf = (data: string): string => `event: message\ndata: ${data}\n\n`
const eventsOf = ({ headers, text }: ProxyResponse): string =>
  headers['content-type']?.startsWith('text/event-stream') ? text : eventOf(text)

export const marked = (properties: JsonObject): JsonObject => ({ type: 'object', properties })
export const listChanged = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }

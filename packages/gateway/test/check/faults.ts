// Servers with one fault each, and the row that has to find it.
import type { Json, JsonObject } from 'toolwire'
import type { Fault } from './faulty.js'

type Tool = JsonObject & { name: string }
export type Case = readonly [row: string, revision: string, fault: () => Fault]

const first = '2024-11-05'
const streamable = '2025-03-26'
const structured = '2025-06-18'
const dialects = '2025-11-25'
const stateless = '2026-07-28'

const asObject = (value: Json | undefined): JsonObject => (value ?? {}) as JsonObject // tests know what they look at
const body = (message: Json): { body: Buffer } => ({ body: Buffer.from(JSON.stringify(message)) })
const toolOf = (message: JsonObject): Json | undefined => asObject(message.params).name

/** Changes what answers a method. */
const onMethod =
  (method: string, change: (said: JsonObject) => JsonObject): (() => Fault) =>
  () => ({
    say: (said, message) => (message.method === method ? change(said) : said),
  })
const withError = (said: JsonObject, change: JsonObject): JsonObject => ({
  ...said,
  error: { ...asObject(said.error), ...change },
})
const withResult = (said: JsonObject, change: JsonObject): JsonObject =>
  'result' in said ? { ...said, result: { ...asObject(said.result), ...change } } : said

/** Changes the tools in each list. */
const inLists = (change: (tools: Tool[]) => Json): (() => Fault) =>
  onMethod('tools/list', (said) =>
    Array.isArray(asObject(said.result).tools)
      ? withResult(said, { tools: change(asObject(said.result).tools as Tool[]) })
      : said,
  )
const buying = (change: JsonObject) =>
  inLists((tools) => tools.map((tool) => (tool.name === 'buy' ? { ...tool, ...change } : tool)))

/** Changes the results of a tool. */
const fromTool =
  (name: string, change: JsonObject): (() => Fault) =>
  () => ({
    say: (said, message) => (toolOf(message) === name && !('method' in said) ? withResult(said, change) : said),
  })

/** Lets a request through as if it were another. */
const hearing =
  (isIt: (message: JsonObject) => boolean, change: (message: JsonObject) => Json): (() => Fault) =>
  () => ({
    hear: (_, message) => (isIt(message) ? body(change(message)) : undefined),
  })
const withParams = (message: JsonObject, params: JsonObject): JsonObject => ({
  ...message,
  params: { ...asObject(message.params), ...params },
})
const withArguments = (message: JsonObject, args: JsonObject): JsonObject => withParams(message, { arguments: args })
const argumentsOf = (message: JsonObject): JsonObject => asObject(asObject(message.params).arguments)

/** Takes one header for another. */
const heading =
  (name: string, from: string | undefined, to: string | undefined): (() => Fault) =>
  () => ({
    hear: ({ headers }, message) => {
      if (headers[name] !== from || message.method === undefined || asObject(message.params).name === 7) return undefined
      const { [name]: _, ...rest } = headers
      return { headers: to === undefined ? rest : { ...rest, [name]: to } }
    },
  })

const onText =
  (text: string, fault: Fault): (() => Fault) =>
  () => ({
    reply: (said, message, asked) => (asked.body.toString() === text ? fault.reply?.(said, message, asked) : undefined),
  })
const changed = (text: string, change: (said: JsonObject) => JsonObject) =>
  onText(text, { reply: (said) => ({ text: JSON.stringify(change(JSON.parse(said.text))) }) })
const status =
  (isIt: (message: JsonObject) => boolean, code: number): (() => Fault) =>
  () => ({
    reply: (_, message) => (isIt(message) ? { status: code } : undefined),
  })
const isNobodys = ({ method }: JsonObject): boolean => method === 'tools/nobody-knows-this'
const isNoTool = (message: JsonObject): boolean => toolOf(message) === 'no-tool-has-this-name'
const metaOf = (message: JsonObject): JsonObject => asObject(asObject(message.params)._meta)
const version = 'io.modelcontextprotocol/protocolVersion'
const clientCapabilities = 'io.modelcontextprotocol/clientCapabilities'

function firstTime(fault: (message: JsonObject) => boolean, change: (message: JsonObject) => Json): () => Fault {
  return () => {
    let done = false
    return {
      hear: (_, message) => {
        if (done || !fault(message)) return undefined
        done = true
        return body(change(message))
      },
    }
  }
}

export const cases: readonly Case[] = [
  ['base-id-echoed', dialects, () => ({ say: (said) => (said.id === '7' ? { ...said, id: 7 } : said) })],
  [
    'base-id-kinds',
    dialects,
    hearing(
      ({ id }) => id === 1.5,
      (message) => ({ ...message, id: 1 }),
    ),
  ],
  [
    'base-jsonrpc',
    dialects,
    hearing(
      ({ jsonrpc }) => jsonrpc === '1.0',
      (message) => ({ ...message, jsonrpc: '2.0' }),
    ),
  ],
  ['base-unknown-method', dialects, onMethod('tools/nobody-knows-this', (said) => withError(said, { code: -32603 }))],
  [
    'base-undeclared-capability',
    dialects,
    onMethod('prompts/list', ({ id = null }) => ({ jsonrpc: '2.0', id, result: { prompts: [] } })),
  ],
  ['base-ping', dialects, onMethod('ping', (said) => withResult(said, { pong: true }))],
  [
    'base-params-shape',
    dialects,
    () => ({ say: (said, message) => (toolOf(message) === 7 ? { jsonrpc: '2.0', id: said.id ?? null, result: {} } : said) }),
  ],
  ['base-parse-error', dialects, changed('{bad', (said) => withError(said, { code: -32600 }))],
  ['base-invalid-request', dialects, changed('{"jsonrpc":"2.0","id":1}', (said) => withError(said, { code: -32603 }))],
  ['base-unreadable-id-omitted', dialects, changed('{bad', (said) => ({ ...said, id: null }))],
  ['base-unreadable-id-null', structured, changed('{bad', ({ id: _, ...said }) => said)],
  [
    'base-utf8',
    dialects,
    () => ({
      hear: ({ body: bytes }) =>
        bytes.includes(0xff) ? { body: Buffer.from(bytes.map((byte) => (byte === 0xff ? 0x78 : byte))) } : undefined,
    }),
  ],
  [
    'base-duplicate-keys',
    dialects,
    () => ({
      hear: ({ body: bytes }) => ({
        body: Buffer.from(bytes.toString('latin1').replace('"method":"tools/nobody-knows-this","method"', '"method"'), 'latin1'),
      }),
    }),
  ],
  [
    'batch-answered',
    streamable,
    () => ({
      reply: ({ text }, message) =>
        Array.isArray(message) && message.length === 2 ? { text: JSON.stringify(JSON.parse(text).slice(1)) } : undefined,
    }),
  ],
  [
    'batch-notifications',
    streamable,
    () => ({
      reply: ({ text }, message) =>
        Array.isArray(message) && message.length === 3
          ? { text: JSON.stringify([{ jsonrpc: '2.0', id: 0, result: {} }, ...JSON.parse(text)]) }
          : undefined,
    }),
  ],
  ['batch-empty', streamable, changed('[]', (said) => withError(said, { code: -32603 }))],
  [
    'batch-refused',
    dialects,
    hearing(
      (message) => Array.isArray(message),
      (message) => (Array.isArray(message) ? message[0] : message),
    ),
  ],
  [
    'batch-unknown',
    first,
    hearing(
      (message) => Array.isArray(message),
      (message) => (Array.isArray(message) ? message[0] : message),
    ),
  ],
  ['open-result', dialects, onMethod('initialize', (said) => withResult(said, { serverInfo: { name: 'shop' } }))],
  [
    'open-unknown-version',
    dialects,
    () => ({
      say: (said, message) =>
        asObject(message.params).protocolVersion === '1900-01-01' ? withResult(said, { protocolVersion: '1900-01-01' }) : said,
    }),
  ],
  [
    'open-first',
    dialects,
    () => ({
      instead: ({ headers }, { method, id = null }) =>
        method === 'tools/list' && headers['mcp-protocol-version'] === undefined
          ? { text: JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [] } }) }
          : undefined,
    }),
  ],
  ['open-tools-declared', dialects, onMethod('initialize', (said) => withResult(said, { capabilities: {} }))],
  ['discover-answered', stateless, onMethod('server/discover', (said) => withResult(said, { ttlMs: 'soon' }))],
  ['discover-versions', stateless, onMethod('server/discover', (said) => withResult(said, { supportedVersions: [] }))],
  ['meta-server-named', stateless, onMethod('tools/list', (said) => withResult(said, { _meta: {} }))],
  [
    'meta-required',
    stateless,
    () => ({
      say: (said, message) =>
        message.method === 'tools/list' &&
        metaOf(message)[clientCapabilities] === undefined &&
        'error' in said &&
        !Array.isArray(message)
          ? withError(said, { code: -32600 })
          : said,
    }),
  ],
  [
    'version-unsupported',
    stateless,
    () => ({
      say: (said, message) =>
        metaOf(message)[version] === '1900-01-01' && asObject(said.error).code === -32022 ? withError(said, { data: {} }) : said,
    }),
  ],
  ['gone-initialize', stateless, onMethod('initialize', (said) => withError(said, { code: -32603 }))],
  ['gone-ping', stateless, onMethod('ping', ({ id = null }) => ({ jsonrpc: '2.0', id, result: { resultType: 'complete' } }))],
  ['list-description', dialects, buying({ description: ' ' })],
  ['list-names', dialects, buying({ name: 'b y' })],
  ['list-names-unique', dialects, inLists((tools) => [...tools, ...tools.slice(-1)])],
  ['list-annotations', dialects, buying({ annotations: { readOnlyHint: 'no' } })],
  ['list-no-annotations', first, buying({ annotations: { readOnlyHint: false } })],
  ['list-no-output-schema', streamable, buying({ outputSchema: { type: 'object' } })],
  ['list-no-title', streamable, buying({ title: 'Buy' })],
  ['list-no-icons', structured, buying({ icons: [] })],
  ['list-no-execution', stateless, buying({ execution: {} })],
  [
    'list-order',
    stateless,
    () => {
      let turn = 0
      return inLists((tools) => (turn++ % 2 === 0 ? tools : tools.toReversed()))()
    },
  ],
  ['list-cache-hints', stateless, onMethod('tools/list', (said) => withResult(said, { cacheScope: 'mine' }))],
  [
    'page-unknown-cursor',
    dialects,
    hearing(
      (message) => typeof asObject(message.params).cursor === 'string',
      (message) => ({ ...message, params: {} }),
    ),
  ],
  [
    'page-cursor-kind',
    dialects,
    hearing(
      (message) => asObject(message.params).cursor === 7,
      (message) => ({ ...message, params: {} }),
    ),
  ],
  ['page-next-cursor', dialects, onMethod('tools/list', (said) => withResult(said, { nextCursor: null }))],
  [
    'page-end',
    dialects,
    () => ({
      hear: (_, message) => (asObject(message.params).cursor === 'again' ? body({ ...message, params: {} }) : undefined),
      say: (said, message) => (message.method === 'tools/list' ? withResult(said, { nextCursor: 'again', tools: [] }) : said),
    }),
  ],
  ['schema-input-object', dialects, buying({ inputSchema: { type: ['object'], additionalProperties: false } })],
  ['schema-input-compiles', dialects, buying({ inputSchema: { type: 'object', properties: { a: { type: 'strnig' } } } })],
  ['schema-output-object', dialects, buying({ outputSchema: { type: 'array' } })],
  ['schema-output-compiles', dialects, buying({ outputSchema: { type: 'object', required: 7 } })],
  ['schema-no-arguments', dialects, buying({ inputSchema: { type: 'object' } })],
  ['mark-token', stateless, buying({ inputSchema: marked({ a: { type: 'string', 'x-mcp-header': 'My Region' } }) })],
  [
    'mark-unique',
    stateless,
    buying({ inputSchema: marked({ a: { type: 'string', 'x-mcp-header': 'R' }, b: { type: 'string', 'x-mcp-header': 'r' } }) }),
  ],
  ['mark-kind', stateless, buying({ inputSchema: marked({ a: { type: 'number', 'x-mcp-header': 'R' } }) })],
  [
    'mark-reachable',
    stateless,
    buying({ inputSchema: marked({ a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'R' } } }) }),
  ],
  ['mark-sensitive', stateless, buying({ inputSchema: marked({ password: { type: 'string', 'x-mcp-header': 'R' } }) })],
  [
    'call-unknown-tool',
    dialects,
    () => ({
      say: (said, message) =>
        isNoTool(message) ? { jsonrpc: '2.0', id: said.id ?? null, result: { content: [], isError: true } } : said,
    }),
  ],
  [
    'call-name-missing',
    dialects,
    () => ({
      say: (said, message) =>
        message.method === 'tools/call' && toolOf(message) === undefined ? withError(said, { code: -32603 }) : said,
    }),
  ],
  ['call-failure-explained', dialects, fromTool('picture', { content: [], isError: true })],
  [
    'arguments-missing',
    dialects,
    firstTime(
      (message) => toolOf(message) === 'add' && !('a' in argumentsOf(message)),
      (message) => withArguments(message, { a: 1, b: 1 }),
    ),
  ],
  [
    'arguments-type',
    dialects,
    hearing(
      (message) => Array.isArray(argumentsOf(message).a),
      (message) => withArguments(message, { a: 1, b: 1 }),
    ),
  ],
  [
    'arguments-extra',
    dialects,
    hearing(
      (message) => 'nobody-has-this' in argumentsOf(message),
      (message) => withArguments(message, { a: 1, b: 1 }),
    ),
  ],
  [
    'arguments-refusal',
    dialects,
    () => ({
      say: (said, message) =>
        toolOf(message) === 'add' && asObject(said.result).isError === true
          ? { jsonrpc: '2.0', id: said.id ?? null, error: { code: -32602, message: 'No' } }
          : said,
    }),
  ],
  [
    'arguments-no-object',
    dialects,
    hearing(
      (message) => Array.isArray(asObject(message.params).arguments),
      (message) => withArguments(message, { a: 1, b: 1 }),
    ),
  ],
  [
    'arguments-absent',
    dialects,
    () => ({
      say: (said, message) =>
        toolOf(message) === 'picture' && !('arguments' in asObject(message.params))
          ? { jsonrpc: '2.0', id: said.id ?? null, error: { code: -32602, message: 'No' } }
          : said,
    }),
  ],
  ['result-content', dialects, fromTool('picture', { content: 'none' })],
  ['result-kinds', dialects, fromTool('picture', { content: [{ type: 'video' }] })],
  ['result-text', dialects, fromTool('steps', { content: [{ type: 'text', text: 7 }] })],
  ['result-media', dialects, fromTool('picture', { content: [{ type: 'image', data: '?', mimeType: 'image/png' }] })],
  [
    'result-resource',
    dialects,
    () => ({
      say: (said, message) =>
        message.method === 'initialize'
          ? withResult(said, { capabilities: { tools: {}, resources: {} } })
          : fromTool('picture', { content: [{ type: 'resource', resource: {} }] })().say?.(said, message),
    }),
  ],
  [
    'result-resources-declared',
    dialects,
    fromTool('picture', { content: [{ type: 'resource', resource: { uri: 'a:b', text: '' } }] }),
  ],
  ['result-link', dialects, fromTool('picture', { content: [{ type: 'resource_link', uri: 'a:b' }] })],
  [
    'result-annotations',
    dialects,
    fromTool('steps', { content: [{ type: 'text', text: 'done', annotations: { priority: 7 } }] }),
  ],
  ['result-is-error', dialects, fromTool('picture', { isError: 'no' })],
  ['result-controls', dialects, fromTool('steps', { content: [{ type: 'text', text: '\u001b[2J' }] })],
  ['result-secrets', dialects, fromTool('steps', { content: [{ type: 'text', text: `AKIA${'A'.repeat(16)}` }] })],
  ['result-size', dialects, fromTool('steps', { content: [{ type: 'text', text: 'x'.repeat(2_000_000) }] })],
  ['structured-none', streamable, fromTool('picture', { structuredContent: {} })],
  ['structured-object', dialects, fromTool('picture', { structuredContent: [1], content: [{ type: 'text', text: '[1]' }] })],
  [
    'structured-fits',
    dialects,
    fromTool('add', { structuredContent: { sum: 'x' }, content: [{ type: 'text', text: '{"sum":"x"}' }] }),
  ],
  ['structured-text', dialects, fromTool('add', { content: [] })],
  [
    'progress-increases',
    dialects,
    () => ({
      say: (said) =>
        said.method === 'notifications/progress' ? { ...said, params: { ...asObject(said.params), progress: 1 } } : said,
    }),
  ],
  [
    'progress-token',
    dialects,
    () => ({
      say: (said) =>
        said.method === 'notifications/progress'
          ? { ...said, params: { ...asObject(said.params), progressToken: 'other' } }
          : said,
    }),
  ],
  [
    'http-answer-type',
    dialects,
    () => ({
      reply: ({ headers }, { method }) =>
        method === 'tools/list' ? { headers: { ...headers, 'content-type': 'text/html' } } : undefined,
    }),
  ],
  ['http-notification', dialects, status(({ method }) => method === 'notifications/cancelled', 200)],
  ['http-content-type', dialects, heading('content-type', 'text/plain', 'application/json')],
  ['http-accept', dialects, heading('accept', 'image/png', 'application/json, text/event-stream')],
  ['http-get', dialects, () => ({ instead: ({ method }) => (method === 'GET' ? { status: 404 } : undefined) })],
  ['http-origin', structured, heading('origin', 'https://evil.example', undefined)],
  ['http-origin-403', dialects, heading('origin', 'https://evil.example', undefined)],
  [
    'http-cors',
    dialects,
    () => ({
      instead: ({ method }) =>
        method === 'OPTIONS' ? { status: 204, headers: { 'access-control-allow-origin': '*' } } : undefined,
    }),
  ],
  ['http-host', dialects, heading('host', 'evil.example', 'localhost')],
  ['http-version', dialects, heading('mcp-protocol-version', '1.0', dialects)],
  ['http-parse-status', dialects, onText('{bad', { reply: () => ({ status: 200 }) })],
  ['http-error-status', dialects, status(isNoTool, 400)],
  [
    'session-missing',
    dialects,
    () => ({
      reply: (_, { method }, { headers }) =>
        method === 'tools/list' && headers['mcp-session-id'] === undefined && headers['mcp-protocol-version'] !== undefined
          ? { status: 403 }
          : undefined,
    }),
  ],
  [
    'session-unknown',
    dialects,
    () => ({ reply: (_, __, { headers }) => (headers['mcp-session-id'] === 'made-up-by-a-check' ? { status: 400 } : undefined) }),
  ],
  ['session-ended', dialects, () => ({ instead: ({ method }) => (method === 'DELETE' ? { status: 204 } : undefined) })],
  [
    'session-gone',
    stateless,
    () => ({
      reply: (_, __, { headers }) =>
        headers['mcp-session-id'] === undefined
          ? undefined
          : { headers: { 'content-type': 'application/json', 'mcp-session-id': 'mine' } },
    }),
  ],
  [
    'header-version-differs',
    stateless,
    () => ({
      hear: ({ headers }, message) =>
        headers['mcp-protocol-version'] === '1900-01-01' && metaOf(message)[version] === stateless
          ? { headers: { ...headers, 'mcp-protocol-version': stateless } }
          : undefined,
    }),
  ],
  [
    'header-method-missing',
    stateless,
    () => ({
      hear: ({ headers }, { method }) =>
        headers['mcp-method'] === undefined && method === 'tools/list'
          ? { headers: { ...headers, 'mcp-method': 'tools/list' } }
          : undefined,
    }),
  ],
  [
    'header-method-differs',
    stateless,
    () => ({
      hear: ({ headers }, { method }) =>
        headers['mcp-method'] === 'prompts/list' && method === 'tools/list'
          ? { headers: { ...headers, 'mcp-method': 'tools/list' } }
          : undefined,
    }),
  ],
  ['header-method-case', stateless, heading('mcp-method', 'TOOLS/LIST', 'tools/list')],
  [
    'header-name-missing',
    stateless,
    () => ({
      hear: ({ headers }, message) =>
        isNoTool(message) && headers['mcp-name'] === undefined
          ? { headers: { ...headers, 'mcp-name': 'no-tool-has-this-name' } }
          : undefined,
    }),
  ],
  ['header-name-differs', stateless, heading('mcp-name', 'another', 'no-tool-has-this-name')],
  ['header-name-broken', stateless, heading('mcp-name', '=?base64?bm8@?=', 'no-tool-has-this-name')],
  ['header-unknown-method', stateless, status(isNobodys, 200)],
  [
    'header-meta-status',
    stateless,
    () => ({
      reply: (_, message) =>
        message.method === 'tools/list' && !Array.isArray(message) && metaOf(message)[clientCapabilities] === undefined
          ? { status: 200 }
          : undefined,
    }),
  ],
  ['header-version-status', stateless, status((message) => metaOf(message)[version] === '1900-01-01', 200)],
  ['strain-headers', dialects, () => ({ hear: ({ headers: { 'x-check': _, ...headers } }) => ({ headers }) })],
  [
    'strain-depth',
    dialects,
    () => ({
      hear: ({ body: bytes }) =>
        bytes.includes('[[[[[') ? { body: Buffer.from(bytes.toString().replace(/\[\[+\]+\]/, '0')) } : undefined,
    }),
  ],
  [
    'strain-body',
    dialects,
    hearing(
      ({ params }) => typeof asObject(params).check === 'string',
      (message) => ({ ...message, params: {} }),
    ),
  ],
  ['said-jsonrpc', dialects, onMethod('ping', (said) => ({ ...said, jsonrpc: '2' }))],
  ['said-one-of', dialects, onMethod('prompts/list', (said) => ({ ...said, result: null }))],
  ['said-error', dialects, onMethod('tools/nobody-knows-this', (said) => withError(said, { message: 7 }))],
  [
    'said-no-internals',
    dialects,
    onMethod('tools/nobody-knows-this', (said) => withError(said, { message: 'at /home/ada/shop.js' })),
  ],
  [
    'said-codes',
    stateless,
    () => ({ say: (said, message) => (asObject(message.params).cursor === 7 ? withError(said, { code: -32050 }) : said) }),
  ],
  ['said-result-type', stateless, onMethod('server/discover', (said) => withResult(said, { resultType: 7 }))],
]

function marked(properties: JsonObject): JsonObject {
  return { type: 'object', properties }
}

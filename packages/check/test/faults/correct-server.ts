// Servers that behave unusually, but correctly.
import {
  asObject,
  type Case,
  changed,
  changingBuyTool,
  dialects,
  marked,
  refusal,
  stateless,
  structured,
  toolOf,
  withResult,
} from './changes.js'

export const sound: readonly Case[] = [
  [
    'explains why it rejects a notification',
    dialects,
    () => ({ instead: (_, { method }) => (method === 'notifications/nobody-knows-this' ? refusal(400) : undefined) }),
  ],
  [
    'accepts no notifications over HTTP',
    stateless,
    () => ({ instead: (_, { method }) => (String(method).startsWith('notifications/') ? refusal(400) : undefined) }),
  ],
  [
    'has no sessions',
    dialects,
    () => {
      let session = ''
      return {
        changeRequest: ({ headers }, { method }) =>
          method === 'initialize'
            ? undefined
            : { headers: { ...headers, 'mcp-session-id': headers['mcp-session-id'] ?? session } },
        changeResponse: ({ headers: { 'mcp-session-id': id, ...headers } }) => {
          session = id ?? session
          return { headers }
        },
      }
    },
  ],
  [
    'declares an old dialect for a schema',
    dialects,
    changingBuyTool({
      inputSchema: { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object', additionalProperties: false },
    }),
  ],
  [
    'refuses arguments with a JSON-RPC error, where the specification allows both kinds of errors',
    structured,
    () => ({
      changeMessage: (reply, message) =>
        toolOf(message) === 'add' && asObject(reply.result).isError === true
          ? { jsonrpc: '2.0', id: reply.id ?? null, error: { code: -32602, message: 'No' } }
          : reply,
    }),
  ],
  [
    'takes longer for a call than any client waits',
    dialects,
    () => ({
      instead: (_, { method, params }) =>
        method === 'tools/call' && asObject(params).name === 'broken'
          ? { headers: { 'content-type': 'text/event-stream' }, text: ': wait\n\n', open: true }
          : undefined,
    }),
  ],
  [
    'refuses a call that needs a capability which the client lacks',
    stateless,
    () => ({
      changeMessage: (reply, message) =>
        toolOf(message) === 'broken' ? { jsonrpc: '2.0', id: reply.id ?? null, error: { code: -32021, message: 'No' } } : reply,
    }),
  ],
  [
    'writes a pattern in the syntax of another language',
    dialects,
    changingBuyTool({
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'string', pattern: '(?P<word>x)' } },
        additionalProperties: false,
      },
    }),
  ],
  [
    'does not require its sessions',
    dialects,
    () => {
      let session = ''
      return {
        changeRequest: ({ headers }) =>
          headers['mcp-protocol-version'] === undefined ? undefined : { headers: { ...headers, 'mcp-session-id': session } },
        instead: ({ method }) => (method === 'DELETE' ? { status: 404 } : undefined),
        changeResponse: ({ headers }) => {
          session = headers['mcp-session-id'] ?? session
          return undefined
        },
      }
    },
  ],
  [
    'answers an unknown version as in the example of the specification',
    dialects,
    () => ({
      changeMessage: (reply, { method, params }) =>
        method === 'initialize' && asObject(params).protocolVersion === '1900-01-01'
          ? { jsonrpc: '2.0', id: reply.id ?? null, error: { code: -32602, message: 'Unsupported protocol version' } }
          : reply,
    }),
  ],
  [
    'answers an unknown version with one that is newer than this check',
    dialects,
    () => ({
      changeMessage: (reply, { method, params }) =>
        method === 'initialize' && asObject(params).protocolVersion === '1900-01-01'
          ? withResult(reply, { protocolVersion: '2099-01-01' })
          : reply,
    }),
  ],
  [
    'explains why it rejects a notification, in a field with another name',
    dialects,
    () => ({
      instead: (_, { method }) =>
        String(method).startsWith('notifications/') && method !== 'notifications/initialized'
          ? { status: 400, text: JSON.stringify({ jsonrpc: '2.0', id: 'server-error', error: { code: -32600, message: 'No' } }) }
          : undefined,
    }),
  ],
  [
    'refuses invalid JSON without a message',
    dialects,
    () => ({ changeResponse: (_, __, { body }) => (body.toString() === '{bad' ? { text: '{"error":"no JSON"}' } : undefined) }),
  ],
  ['says nothing of the id that it could not read, over HTTP', structured, changed('{bad', ({ id: _, ...reply }) => reply)],
  [
    'refuses pages with a body that is not a message',
    dialects,
    () => ({
      instead: ({ headers }) => (headers.origin === undefined ? undefined : { status: 403, text: '{"error":"origin"}' }),
    }),
  ],
  [
    'repeats the limit of tokens in a header',
    stateless,
    changingBuyTool({ inputSchema: marked({ max_tokens: { type: 'integer', 'x-mcp-header': 'Max' } }) }),
  ],
  [
    'validates the headers before it notices a missing tool name',
    stateless,
    () => ({
      changeMessage: (reply, { method, params }) =>
        method === 'tools/call' && !('name' in asObject(params))
          ? { jsonrpc: '2.0', id: reply.id ?? null, error: { code: -32020, message: 'No' } }
          : reply,
    }),
  ],
  [
    'reports the unknown tool 7 in a result',
    dialects,
    () => ({
      changeMessage: (reply, message) =>
        toolOf(message) === 7
          ? { jsonrpc: '2.0', id: reply.id ?? null, result: { isError: true, content: [{ type: 'text', text: 'No tool 7' }] } }
          : reply,
    }),
  ],
]

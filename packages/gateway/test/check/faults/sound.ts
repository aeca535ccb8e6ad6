// Servers that do things in another way, and are right.
import { asObject, buying, type Case, dialects, refusal, stateless, structured, toolOf } from './changes.js'

export const sound: readonly Case[] = [
  [
    'says why it does not take a notification',
    dialects,
    () => ({ instead: (_, { method }) => (method === 'notifications/nobody-knows-this' ? refusal(400) : undefined) }),
  ],
  [
    'takes no notifications over HTTP',
    stateless,
    () => ({ instead: (_, { method }) => (String(method).startsWith('notifications/') ? refusal(400) : undefined) }),
  ],
  [
    'has no sessions',
    dialects,
    () => {
      let session = ''
      return {
        hear: ({ headers }, { method }) =>
          method === 'initialize'
            ? undefined
            : { headers: { ...headers, 'mcp-session-id': headers['mcp-session-id'] ?? session } },
        reply: ({ headers: { 'mcp-session-id': id, ...headers } }) => {
          session = id ?? session
          return { headers }
        },
      }
    },
  ],
  [
    'writes a schema in a dialect of long ago',
    dialects,
    buying({ inputSchema: { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object', additionalProperties: false } }),
  ],
  [
    'refuses arguments by an error, where the page names both ways',
    structured,
    () => ({
      say: (said, message) =>
        toolOf(message) === 'add' && asObject(said.result).isError === true
          ? { jsonrpc: '2.0', id: said.id ?? null, error: { code: -32602, message: 'No' } }
          : said,
    }),
  ],
  [
    'takes longer for a call than anybody waits',
    dialects,
    () => ({
      instead: (_, { method, params }) =>
        method === 'tools/call' && asObject(params).name === 'broken'
          ? { headers: { 'content-type': 'text/event-stream' }, text: ': wait\n\n', open: true }
          : undefined,
    }),
  ],
  [
    'refuses a call that needs more of a client than there is',
    stateless,
    () => ({
      say: (said, message) =>
        toolOf(message) === 'broken' ? { jsonrpc: '2.0', id: said.id ?? null, error: { code: -32021, message: 'No' } } : said,
    }),
  ],
]

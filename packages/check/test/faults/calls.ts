import { asObject, type Case, changingToolResult, dialects, isNoTool, refusal, toolOf, withError } from './changes.js'

export const callsCases: readonly Case[] = [
  [
    'call-unknown-tool',
    dialects,
    () => ({
      changeMessage: (reply, message) =>
        isNoTool(message) ? { jsonrpc: '2.0', id: reply.id ?? null, result: { content: [], isError: true } } : reply,
    }),
  ],
  [
    'call-name-missing',
    dialects,
    () => ({
      changeMessage: (reply, message) =>
        message.method === 'tools/call' && toolOf(message) === undefined ? withError(reply, { code: -32603 }) : reply,
    }),
  ],
  ['call-failure-explained', dialects, changingToolResult('picture', { content: [], isError: true })],
  [
    'call-answered',
    dialects,
    () => ({
      changeMessage: (reply, message) =>
        toolOf(message) === 'picture' ? { jsonrpc: '2.0', id: reply.id ?? null, error: { code: -32603, message: 'No' } } : reply,
    }),
  ],
  [
    'cancel-unknown',
    dialects,
    () => ({
      instead: (_, { method, params }) =>
        method === 'notifications/cancelled' && !('requestId' in asObject(params)) ? refusal(200) : undefined,
    }),
  ],
  [
    'cancel-late',
    dialects,
    () => {
      const offended = new Set<string | undefined>()
      return {
        instead: ({ headers: { 'mcp-session-id': session } }, { method, params }) => {
          const refused = offended.delete(session) && method === 'tools/list'
          if (method === 'notifications/cancelled' && typeof asObject(params).requestId === 'number') offended.add(session)
          return refused ? { status: 409 } : undefined
        },
      }
    },
  ],
  [
    'cancel-honoured',
    dialects,
    () => ({ instead: (_, { method }) => (method === 'notifications/cancelled' ? { status: 202, headers: {} } : undefined) }),
  ],
]

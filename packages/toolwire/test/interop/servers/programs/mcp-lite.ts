// A server on mcp-lite, which supports only HTTP: without sessions, or with them.
import { serve } from '@hono/node-server'
import { InMemoryClientRequestAdapter, InMemorySessionAdapter, McpServer, StreamableHttpTransport } from 'mcp-lite'
import { z } from 'zod'
import { cancellations, closed, failed, greeting, listening, note, notes, question, slowly, stick, text } from './shop.js'

const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
const server = new McpServer({
  name: 'mcp-lite',
  version: '1.0.0',
  schemaAdapter: (schema) => z.toJSONSchema(schema as z.ZodType), // every schema here is from zod
})

server.tool('echo', { inputSchema: z.object({ text: z.string() }), handler: (values) => text(values.text) })
server.tool('add', {
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
  handler: ({ a, b }) => ({ ...text(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }),
})
server.tool('fail', { handler: () => failed(closed) })
server.tool('slow', {
  inputSchema: z.object({ steps: z.number(), ms: z.number() }),
  handler: async (values, { progress }) =>
    text(await slowly(values, (step, total, message) => progress?.({ progress: step, total, message }))),
})
server.tool('stuck', { handler: async (_, { progress }) => text(await stick((step) => progress?.({ progress: step }))) })
server.tool('cancellations', { handler: () => text(cancellations()) })
server.tool('ask', {
  handler: async (_, { elicit }) => {
    const answer = await elicit<{ name: string }>({ message: question, schema: requestedSchema })
    return answer.action === 'accept' ? text(`Hello ${answer.content?.name}`) : failed(answer.action)
  },
})
// mcp-lite cannot remove a tool, so each call adds another.
let grown = 0
server.tool('grow', {
  handler: () => {
    server.tool(`grown-${++grown}`, { handler: () => text('grown') })
    return text('grew')
  },
})
server.resource(notes, { name: 'today', mimeType: 'text/plain' }, async () => ({
  contents: [{ type: 'text', uri: notes, text: note }],
}))
server.prompt('greet', {
  arguments: z.object({ name: z.string() }),
  handler: ({ name }: { name: string }) => ({
    messages: [{ role: 'user', content: { type: 'text' as const, text: greeting(name) } }],
  }),
})

const withSessions = () => ({
  sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 100 }),
  clientRequestAdapter: new InMemoryClientRequestAdapter(),
})
const fetch = new StreamableHttpTransport(process.argv[2] === 'http' ? withSessions() : {}).bind(server)
serve({ fetch: (request) => fetch(request), port: 0, hostname: '127.0.0.1' }, ({ port }) => listening(port))

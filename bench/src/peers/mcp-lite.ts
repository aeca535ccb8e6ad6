// mcp-lite as in its README: Hono, a stateless transport.
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { McpServer, StreamableHttpTransport } from 'mcp-lite'
import { z } from 'zod'
import { fillerCount, fillerDescription, fillerNames } from '../filler.js'

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })

const server = new McpServer({
  name: 'bench',
  version: '1.0.0',
  schemaAdapter: (schema) => z.toJSONSchema(schema as z.ZodType),
})

server.tool('echo', {
  description: 'Returns the text it was given',
  inputSchema: z.object({ text: z.string() }),
  handler: (values) => text(values.text),
})

server.tool('add', {
  description: 'Adds two numbers',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
  handler: ({ a, b }) => ({ ...text(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }),
})

server.tool('big', {
  description: 'Returns a text of so many bytes',
  inputSchema: z.object({ bytes: z.number().int().min(0) }),
  handler: ({ bytes }) => text('x'.repeat(bytes)),
})

const filler = z.object({ query: z.string(), limit: z.number().int().min(1).max(50).optional() })
for (const name of fillerNames(fillerCount())) {
  server.tool(name, { description: fillerDescription, inputSchema: filler, handler: ({ query }) => text(query) })
}

const handle = new StreamableHttpTransport().bind(server)
const app = new Hono()
app.all('/mcp', (context) => handle(context.req.raw))
serve({ fetch: app.fetch, port: Number(process.argv[3] ?? 0), hostname: '127.0.0.1' }, ({ port }) => {
  process.stderr.write(`READY ${port}\n`)
})

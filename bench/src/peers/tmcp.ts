// tmcp as in its README, with Hono's adapter between node:http and web requests.
import { serve } from '@hono/node-server'
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod'
import { HttpTransport } from '@tmcp/transport-http'
import { StdioTransport } from '@tmcp/transport-stdio'
import { McpServer } from 'tmcp'
import { tool } from 'tmcp/utils'
import { z } from 'zod'
import { fillerCount, fillerDescription, fillerNames } from '../filler.js'

const server = new McpServer(
  { name: 'bench', version: '1.0.0', description: 'A server to measure' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: { listChanged: true } } },
)

server.tool({ name: 'echo', description: 'Returns the text it was given', schema: z.object({ text: z.string() }) }, (values) =>
  tool.text(values.text),
)

server.tool(
  {
    name: 'add',
    description: 'Adds two numbers',
    schema: z.object({ a: z.number(), b: z.number() }),
    outputSchema: z.object({ sum: z.number() }),
  },
  ({ a, b }) => tool.structured({ sum: a + b }),
)

server.tool(
  { name: 'big', description: 'Returns a text of so many bytes', schema: z.object({ bytes: z.number().int().min(0) }) },
  ({ bytes }) => tool.text('x'.repeat(bytes)),
)

const schema = z.object({ query: z.string(), limit: z.number().int().min(1).max(50).optional() })
for (const name of fillerNames(fillerCount())) {
  server.tool({ name, description: fillerDescription, schema }, ({ query }) => tool.text(query))
}

if (process.argv[2] === 'http') {
  const transport = new HttpTransport(server)
  const fetch = async (request: Request) => (await transport.respond(request)) ?? new Response(null, { status: 404 })
  serve({ fetch, port: Number(process.argv[3] ?? 0), hostname: '127.0.0.1' }, ({ port }) => {
    process.stderr.write(`READY ${port}\n`)
  })
} else {
  new StdioTransport(server).listen()
}

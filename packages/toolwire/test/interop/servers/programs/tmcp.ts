// A server on tmcp: stdio and HTTP, three older revisions and the latest.
import { serve } from '@hono/node-server'
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod'
import { HttpTransport } from '@tmcp/transport-http'
import { StdioTransport } from '@tmcp/transport-stdio'
import { McpServer } from 'tmcp'
import { prompt, resource, tool } from 'tmcp/utils'
import { z } from 'zod'
import { cancellations, closed, greeting, listening, note, notes, question, slowly, stick } from './shop.js'

const server = new McpServer(
  { name: 'tmcp', version: '1.0.0', description: 'A server to talk to' },
  {
    adapter: new ZodJsonSchemaAdapter(),
    capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
  },
)

server.tool({ name: 'echo', description: '', schema: z.object({ text: z.string() }) }, ({ text }) => tool.text(text))
server.tool(
  {
    name: 'add',
    description: '',
    schema: z.object({ a: z.number(), b: z.number() }),
    outputSchema: z.object({ sum: z.number() }),
  },
  ({ a, b }) => tool.structured({ sum: a + b }),
)
server.tool({ name: 'fail', description: '' }, () => tool.error(closed))
server.tool({ name: 'slow', description: '', schema: z.object({ steps: z.number(), ms: z.number() }) }, async (values) =>
  tool.text(await slowly(values, (...step) => server.progress(...step), server.ctx.signal)),
)
server.tool({ name: 'stuck', description: '' }, async () =>
  tool.text(await stick((step) => server.progress(step), server.ctx.signal)),
)
server.tool({ name: 'cancellations', description: '' }, () => tool.text(cancellations()))
server.tool({ name: 'ask', description: '', replayable: true }, async () => {
  const { action, content } = await server.elicitation(question, z.object({ name: z.string() }))
  return action === 'accept' ? tool.text(`Hello ${content?.name}`) : tool.error(action)
})

// tmcp cannot remove a tool, so each call adds another.
let grown = 0
server.tool({ name: 'grow', description: '' }, () => {
  server.tool({ name: `grown-${++grown}`, description: '' }, () => tool.text('grown'))
  server.changed('tools')
  return tool.text('grew')
})
server.resource({ name: 'today', description: '', uri: notes }, (uri) => resource.text(uri, note, 'text/plain'))
server.prompt({ name: 'greet', description: '', schema: z.object({ name: z.string() }) }, ({ name }) =>
  prompt.message(greeting(name)),
)

if (process.argv[2] === 'stdio') new StdioTransport(server).listen()
else {
  const transport = new HttpTransport(server, { path: '/mcp' })
  const fetch = async (request: Request) => (await transport.respond(request)) ?? new Response(null, { status: 404 })
  serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => listening(port))
}

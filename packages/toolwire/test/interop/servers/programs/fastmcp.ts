// A server on fastmcp: stdio, Streamable HTTP with HTTP+SSE beside it, or HTTP without sessions.
import { FastMCP, UserError } from 'fastmcp'
import { z } from 'zod'
import { freePort } from '../../../free-port.js'
import { cancellations, closed, greeting, listening, note, notes, question, slowly, stick } from './shop.js'

const mode = process.argv[2]
const server = new FastMCP({ name: 'fastmcp', version: '1.0.0' })
const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' as const } }, required: ['name'] }

server.addTool({ name: 'echo', parameters: z.object({ text: z.string() }), execute: async ({ text }) => text })
server.addTool({
  name: 'add',
  parameters: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
  execute: async ({ a, b }) => ({ sum: a + b }),
})
server.addTool({
  name: 'fail',
  execute: async () => {
    throw new UserError(closed)
  },
})
server.addTool({
  name: 'slow',
  parameters: z.object({ steps: z.number(), ms: z.number() }),
  execute: (values, { reportProgress, signal }) =>
    slowly(values, (progress, total, message) => reportProgress({ progress, total, message }), signal),
})
server.addTool({
  name: 'stuck',
  execute: (_, { reportProgress, signal }) => stick((progress) => reportProgress({ progress }), signal),
})
server.addTool({ name: 'cancellations', execute: async () => cancellations() })
server.addTool({
  name: 'ask',
  execute: async (_, { elicit }) => {
    const { action, content } = await elicit({ message: question, requestedSchema })
    if (action !== 'accept') throw new UserError(action)
    return `Hello ${content?.name}`
  },
})

let hasGrown = false
server.addTool({
  name: 'grow',
  execute: async () => {
    if (hasGrown) server.removeTool('grown')
    else server.addTool({ name: 'grown', execute: async () => 'grown' })
    hasGrown = !hasGrown
    return 'grew'
  },
})
server.addResource({ name: 'today', uri: notes, mimeType: 'text/plain', load: async () => ({ text: note }) })
server.addPrompt({
  name: 'greet',
  arguments: [{ name: 'name', required: true }],
  load: async ({ name }) => greeting(String(name)),
})

async function serveHttp(): Promise<void> {
  const port = await freePort()
  await server.start({ transportType: 'httpStream', httpStream: { port, host: '127.0.0.1', stateless: mode === 'stateless' } })
  listening(port)
}

if (mode === 'stdio') await server.start({ transportType: 'stdio' })
else await serveHttp()

// A server with the official SDK, v1, over stdio.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const text = (words) => ({ content: [{ type: 'text', text: words }] })
const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }

const server = new McpServer({ name: 'sdk-v1', version: '1.0.0' })
server.registerTool('add', { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => text(String(a + b)))
server.registerTool('fail', {}, () => ({ ...text('closed'), isError: true }))
server.registerTool('ask', {}, async () => {
  const { action, content } = await server.server.elicitInput({ message: 'Your name?', requestedSchema })
  return text(action === 'accept' ? `Hello ${content.name}` : action)
})
await server.connect(new StdioServerTransport())

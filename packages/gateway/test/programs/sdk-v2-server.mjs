// A server with the official SDK, v2, over stdio.
import { acceptedContent, inputRequired, McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const text = (words) => ({ content: [{ type: 'text', text: words }] })
const named = z.object({ name: z.string() })

serveStdio(() => {
  const server = new McpServer({ name: 'sdk-v2', version: '2.0.0' })
  server.registerTool('add', { inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => text(String(a + b)))
  server.registerTool('fail', {}, () => ({ ...text('closed'), isError: true }))
  server.registerTool('ask', {}, ({ mcpReq: { inputResponses } }) => {
    const answer = acceptedContent(inputResponses, 'name', named)
    if (answer) return text(`Hello ${answer.name}`)
    return inputRequired({ inputRequests: { name: inputRequired.elicit({ message: 'Your name?', requestedSchema: named }) } })
  })
  return server
})

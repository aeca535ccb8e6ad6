// A server on the official SDK, v2: stdio, and HTTP without sessions for older revisions.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { acceptedContent, createMcpHandler, inputRequired, McpServer, type ServerContext } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'
import { cancellations, closed, failed, greeting, listening, note, notes, question, slowly, stick, text } from './shop.js'

const mode = process.argv[2]
let hasGrown = false

function shop(): McpServer {
  const server = new McpServer({ name: 'sdk-v2', version: '2.0.0' })
  server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, (values) => text(values.text))
  server.registerTool(
    'add',
    { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) },
    ({ a, b }) => ({ ...text(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }),
  )
  server.registerTool('fail', {}, () => failed(closed))
  server.registerTool('cancellations', {}, () => text(cancellations()))
  registerRunning(server)
  registerAsking(server)
  registerGrowing(server)
  server.registerResource('today', notes, { mimeType: 'text/plain' }, () => ({ contents: [{ uri: notes, text: note }] }))
  server.registerPrompt('greet', { argsSchema: z.object({ name: z.string() }) }, ({ name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: greeting(name) } }],
  }))
  return server
}

function registerRunning(server: McpServer): void {
  server.registerTool('slow', { inputSchema: z.object({ steps: z.number(), ms: z.number() }) }, async (values, { mcpReq }) =>
    text(await slowly(values, (...step) => tell(mcpReq, ...step), mcpReq.signal)),
  )
  server.registerTool('stuck', {}, async ({ mcpReq }) => text(await stick((step) => tell(mcpReq, step), mcpReq.signal)))
}

function tell({ _meta, notify }: ServerContext['mcpReq'], progress: number, total?: number, message?: string): unknown {
  if (_meta?.progressToken === undefined) return
  return notify({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, progress, total, message } })
}

const named = z.object({ name: z.string() })

function registerAsking(server: McpServer): void {
  server.registerTool('ask', {}, ({ mcpReq: { inputResponses } }) => {
    const answer = acceptedContent(inputResponses, 'name', named)
    if (answer) return text(`Hello ${answer.name}`)
    if (inputResponses?.name) return failed('declined')
    return inputRequired({ inputRequests: { name: inputRequired.elicit({ message: question, requestedSchema: named }) } })
  })
}

/** Over HTTP each request has its own server, so the state of the grown tool is kept outside. */
function registerGrowing(server: McpServer): void {
  const grown = server.registerTool('grown', {}, () => text('grown'))
  if (!hasGrown) grown.disable()
  server.registerTool('grow', {}, () => {
    hasGrown = !hasGrown
    if (hasGrown) grown.enable()
    else grown.disable()
    handler.notify.toolsChanged()
    return text('grew')
  })
}

const responseModes = new Map([
  ['json', 'json'],
  ['stream', 'sse'],
] as const)
const handler = createMcpHandler(shop, { responseMode: responseModes.get(mode as 'json') ?? 'auto' }) // other modes use the default

if (mode === 'stdio') serveStdio(shop)
else {
  const http = createServer(toNodeHandler(handler))
  http.listen(0, '127.0.0.1', () => listening((http.address() as AddressInfo).port)) // the server listens on TCP
}

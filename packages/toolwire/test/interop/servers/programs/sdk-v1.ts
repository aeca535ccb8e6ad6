// A server on the official SDK, v1: stdio, Streamable HTTP with sessions (streams or JSON only), and the older HTTP+SSE.
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js'
import type { Request, Response } from 'express'
import { z } from 'zod'
import { cancellations, closed, failed, greeting, listening, note, notes, question, slowly, stick, text } from './shop.js'

const mode = process.argv[2]
const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' as const } }, required: ['name'] }

function shop(): McpServer {
  const server = new McpServer({ name: 'sdk-v1', version: '1.0.0' })
  server.registerTool('echo', { inputSchema: { text: z.string() } }, (values) => text(values.text))
  server.registerTool(
    'add',
    { inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } },
    ({ a, b }) => ({ ...text(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }),
  )
  server.registerTool('fail', {}, () => failed(closed))
  server.registerTool('cancellations', {}, () => text(cancellations()))
  registerRunning(server)
  registerAsking(server)
  server.registerResource('today', notes, { mimeType: 'text/plain' }, () => ({ contents: [{ uri: notes, text: note }] }))
  server.registerPrompt('greet', { argsSchema: { name: z.string() } }, ({ name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: greeting(name) } }],
  }))
  return server
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

function registerRunning(server: McpServer): void {
  const tell = ({ _meta, sendNotification }: Extra, progress: number, total?: number, message?: string) =>
    _meta?.progressToken === undefined
      ? undefined
      : sendNotification({
          method: 'notifications/progress',
          params: { progressToken: _meta.progressToken, progress, total, message },
        })
  server.registerTool('slow', { inputSchema: { steps: z.number(), ms: z.number() } }, async (values, extra) =>
    text(await slowly(values, (...step) => tell(extra, ...step), extra.signal)),
  )
  server.registerTool('stuck', {}, async (extra) => text(await stick((step) => tell(extra, step), extra.signal)))
}

function registerAsking(server: McpServer): void {
  server.registerTool('ask', {}, async () => {
    const { action, content } = await server.server.elicitInput({ message: question, requestedSchema })
    return action === 'accept' ? text(`Hello ${content?.name}`) : failed(action)
  })
  let grown: { remove(): void } | undefined
  server.registerTool('grow', {}, () => {
    grown?.remove()
    grown = grown ? undefined : server.registerTool('grown', {}, () => text('grown'))
    return text('grew')
  })
}

const sessions = new Map<string, StreamableHTTPServerTransport>()

async function open(): Promise<StreamableHTTPServerTransport> {
  const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: mode === 'json',
    onsessioninitialized: (id) => void sessions.set(id, transport),
  })
  await shop().connect(transport)
  return transport
}

async function handle(request: Request, response: Response): Promise<void> {
  const transport = sessions.get(String(request.headers['mcp-session-id'])) ?? (await open())
  await transport.handleRequest(request, response, request.body)
}

const streams = new Map<string, SSEServerTransport>()

async function openStream(_: Request, response: Response): Promise<void> {
  const transport = new SSEServerTransport('/message', response)
  streams.set(transport.sessionId, transport)
  await shop().connect(transport)
}

async function take(request: Request, response: Response): Promise<void> {
  await streams.get(String(request.query.sessionId))?.handlePostMessage(request, response, request.body)
}

function serveHttp(): void {
  const app = createMcpExpressApp()
  if (mode === 'sse') app.get('/sse', openStream).post('/message', take)
  else app.all('/mcp', handle)
  const http = app.listen(0, '127.0.0.1', () => listening((http.address() as AddressInfo).port)) // the server listens on TCP
}

if (mode === 'stdio') await shop().connect(new StdioServerTransport())
else serveHttp()

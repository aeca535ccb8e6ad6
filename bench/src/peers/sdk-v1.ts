// The official SDK, v1, as in its examples: Express, one transport per session, and JSON answers, which are the fastest.
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Request, Response } from 'express'
import { z } from 'zod'
import { fillerCount, fillerDescription, fillerNames } from '../filler.js'

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })
const servers = new Set<McpServer>()
const transports = new Map<string, StreamableHTTPServerTransport>()

function buildServer(): McpServer {
  const server = new McpServer({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } })
  server.registerTool(
    'echo',
    { description: 'Returns the text it was given', inputSchema: { text: z.string() } },
    async (values) => text(values.text),
  )
  server.registerTool(
    'add',
    { description: 'Adds two numbers', inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } },
    async ({ a, b }) => ({ ...text(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }),
  )
  server.registerTool(
    'big',
    { description: 'Returns a text of so many bytes', inputSchema: { bytes: z.number().int().min(0) } },
    async ({ bytes }) => text('x'.repeat(bytes)),
  )
  const inputSchema = { query: z.string(), limit: z.number().int().min(1).max(50).optional() }
  for (const name of fillerNames(fillerCount())) {
    server.registerTool(name, { description: fillerDescription, inputSchema }, async ({ query }) => text(query))
  }
  if (process.env.STREAMS) {
    server.registerTool('touch', { description: 'Tells every session that the tools changed' }, async () => {
      for (const each of servers) each.sendToolListChanged()
      return text('touched')
    })
  }
  return server
}

async function openSession(): Promise<StreamableHTTPServerTransport> {
  const server = buildServer()
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    enableJsonResponse: true,
    onsessioninitialized: (id) => {
      transports.set(id, transport)
    },
  })
  servers.add(server)
  await server.connect(transport)
  return transport
}

async function handle(request: Request, response: Response): Promise<void> {
  const known = transports.get(String(request.headers['mcp-session-id']))
  const transport = known ?? (await openSession())
  await transport.handleRequest(request, response, request.body)
}

if (process.argv[2] === 'http') {
  const app = createMcpExpressApp()
  app.post('/mcp', handle)
  app.get('/mcp', handle)
  const listening = app.listen(Number(process.argv[3] ?? 0), '127.0.0.1', () => {
    process.stderr.write(`READY ${(listening.address() as AddressInfo).port}\n`)
  })
} else {
  await buildServer().connect(new StdioServerTransport())
}

// The official SDK, v2: createMcpHandler behind node:http for 2026-07-28, and a kept server per session for 2025-11-25. Schemas are made
// once, because the handler calls the factory for each request.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
} from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'
import { fillerCount, fillerDescription, fillerNames } from '../filler.js'

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })

const echo = { description: 'Returns the text it was given', inputSchema: z.object({ text: z.string() }) }
const add = {
  description: 'Adds two numbers',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
}
const big = { description: 'Returns a text of so many bytes', inputSchema: z.object({ bytes: z.number().int().min(0) }) }
const fillerSchema = z.object({ query: z.string(), limit: z.number().int().min(1).max(50).optional() })
const filler = { description: fillerDescription, inputSchema: fillerSchema }
const names = fillerNames(fillerCount())

function buildServer(): McpServer {
  const server = new McpServer({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } })
  server.registerTool('echo', echo, async (values) => text(values.text))
  server.registerTool('add', add, async ({ a, b }) => ({
    ...text(JSON.stringify({ sum: a + b })),
    structuredContent: { sum: a + b },
  }))
  server.registerTool('big', big, async ({ bytes }) => text('x'.repeat(bytes)))
  for (const name of names) server.registerTool(name, filler, async ({ query }) => text(query))
  if (process.env.STREAMS) {
    server.registerTool('touch', { description: 'Tells every stream that the tools changed' }, async () => {
      handler.notify.toolsChanged()
      return text('touched')
    })
  }
  return server
}

const handler = createMcpHandler(buildServer, { legacy: 'reject' })
const modern = toNodeHandler(handler)
const sessions = new Map<string, NodeStreamableHTTPServerTransport>()

async function openSession(): Promise<NodeStreamableHTTPServerTransport> {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    enableJsonResponse: true,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  })
  await buildServer().connect(transport)
  return transport
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.headers['mcp-protocol-version'] === '2026-07-28') return void (await modern(request, response))
  const transport = sessions.get(String(request.headers['mcp-session-id'])) ?? (await openSession())
  await transport.handleRequest(request, response)
}

if (process.argv[2] === 'http') {
  const validateHost = localhostHostValidation()
  const validateOrigin = localhostOriginValidation()
  const listening = createServer((request, response) => {
    if (validateHost(request, response) && validateOrigin(request, response)) void handle(request, response)
  })
  listening.listen(Number(process.argv[3] ?? 0), '127.0.0.1', () => {
    process.stderr.write(`READY ${(listening.address() as AddressInfo).port}\n`)
  })
} else {
  serveStdio(buildServer)
}

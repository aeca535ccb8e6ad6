// The official SDK, v2, as its documentation shows it: createMcpHandler behind node:http with the loopback guards.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'
import { fillerCount, fillerDescription, fillerNames } from '../filler.js'

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })

function buildServer(): McpServer {
  const server = new McpServer({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } })
  server.registerTool(
    'echo',
    { description: 'Returns the text it was given', inputSchema: z.object({ text: z.string() }) },
    async (values) => text(values.text),
  )
  server.registerTool(
    'add',
    {
      description: 'Adds two numbers',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    async ({ a, b }) => ({ ...text(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }),
  )
  server.registerTool(
    'big',
    { description: 'Returns a text of so many bytes', inputSchema: z.object({ bytes: z.number().int().min(0) }) },
    async ({ bytes }) => text('x'.repeat(bytes)),
  )
  const inputSchema = z.object({ query: z.string(), limit: z.number().int().min(1).max(50).optional() })
  for (const name of fillerNames(fillerCount())) {
    server.registerTool(name, { description: fillerDescription, inputSchema }, async ({ query }) => text(query))
  }
  if (process.env.STREAMS) {
    server.registerTool('touch', { description: 'Tells every stream that the tools changed' }, async () => {
      handler.notify.toolsChanged()
      return text('touched')
    })
  }
  return server
}

const handler = createMcpHandler(buildServer)

if (process.argv[2] === 'http') {
  const node = toNodeHandler(handler)
  const validateHost = localhostHostValidation()
  const validateOrigin = localhostOriginValidation()
  const listening = createServer((request, response) => {
    if (validateHost(request, response) && validateOrigin(request, response)) void node(request, response)
  })
  listening.listen(Number(process.argv[3] ?? 0), '127.0.0.1', () => {
    process.stderr.write(`READY ${(listening.address() as AddressInfo).port}\n`)
  })
} else {
  serveStdio(buildServer)
}

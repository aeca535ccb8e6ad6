// The fixtures on the official SDK: `node dist/gateway-sdk.js --port 3000`. The program prints its address to stdout when it is ready.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { parseArgs } from 'node:util'
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
  toWebRequest,
} from '@modelcontextprotocol/node'
import { createMcpHandler, isLegacyRequest, McpServer } from '@modelcontextprotocol/server'
import { registerAsking, states } from './gateway-sdk/asking.js'
import { registerPrompts, registerResources } from './gateway-sdk/others.js'
import { registerPlain } from './gateway-sdk/plain.js'
import { text } from './gateway-sdk/say.js'

const { values } = parseArgs({ options: { port: { type: 'string', default: '3000' } } })
const port = Number(values.port)
const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  logging: {},
}

function fixtures(): McpServer {
  const server = new McpServer(
    { name: 'sdk-conformance', version: '1.0.0' },
    { capabilities, requestState: { verify: states.verify } },
  )
  registerPlain(server)
  registerAsking(server)
  registerResources(server)
  registerPrompts(server)
  registerChanging(server)
  return server
}

/** Each request has its own server, so the numbers of changes are kept outside of it. */
const changes = { tools: 0, prompts: 0 }

function registerChanging(server: McpServer): void {
  const changed = (times: number) => ({ description: `Has changed ${times} times` })
  server.registerTool('test_changing_tool', changed(changes.tools), () => text('Changing'))
  server.registerPrompt('test_changing_prompt', changed(changes.prompts), () => ({ messages: [] }))
  server.registerTool('test_trigger_tool_change', { description: 'Changes one of the tools' }, () => {
    changes.tools++
    modern.notify.toolsChanged()
    return text('Changed')
  })
  server.registerTool('test_trigger_prompt_change', { description: 'Changes one of the prompts' }, () => {
    changes.prompts++
    modern.notify.promptsChanged()
    return text('Changed')
  })
}

const modern = createMcpHandler(fixtures, { legacy: 'reject' })
const answerModern = toNodeHandler(modern)
const sessions = new Map<string, NodeStreamableHTTPServerTransport>()

async function answerOlder(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
  const known = sessions.get(String(request.headers['mcp-session-id']))
  if (known) return known.handleRequest(request, response, body)
  const transport: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
  })
  await fixtures().connect(transport)
  return transport.handleRequest(request, response, body)
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer) // no encoding was set
  const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined
  const isOlder = await isLegacyRequest(await toWebRequest(request, body))
  await (isOlder ? answerOlder(request, response, body) : answerModern(request, response, body))
}

const isLocalHost = localhostHostValidation()
const isLocalOrigin = localhostOriginValidation()
createServer((request, response) => {
  if (!isLocalHost(request, response) || !isLocalOrigin(request, response)) return
  answer(request, response).catch((thrown) => {
    process.stderr.write(`${thrown}\n`)
    response.destroy()
  })
}).listen(port, 'localhost', () => process.stdout.write(`http://localhost:${port}/mcp\n`))

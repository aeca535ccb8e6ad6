// Calls of the pocket profile over HTTP: one JSON body or a stream, and cancellation by a separate POST.
import { type JsonObject, type Server, server, tool } from 'toolwire'
import { expect, it } from 'vitest'
import { pocketWire, since, until, wireOf } from '../revisions.js'
import '../reported-faults.js'

const quick = tool({ run: () => 'done' })
const steps = tool({
  run: async (_, ctx) => {
    for (const step of [1, 2, 3]) await new Promise((resolve) => setTimeout(resolve, 5)).then(() => ctx.progress(step, 3))
    return 'done'
  },
})

/** A server with a tool that ends only when it is cancelled, and reports this. */
function shop(options: object) {
  let stop!: (reason: unknown) => void
  const stopped = new Promise((resolve) => {
    stop = resolve
  })
  const endless = tool({
    run: (_, { signal, progress }) => {
      progress(1)
      signal.addEventListener('abort', () => stop(signal.reason))
      return new Promise<string>((_, reject) => signal.addEventListener('abort', reject))
    },
  })
  return { stopped, app: server({ name: 'shop', version: '1', tools: { quick, steps, endless }, ...options }) }
}

type Post = (message: JsonObject) => Promise<Response>
const always = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
const sending = (app: Server, headers: Record<string, string>) => (message: JsonObject) =>
  app.fetch(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { ...always, ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    }),
  )

/** Opens a session of a revision with sessions. */
async function session(app: Server, version = '2025-06-18'): Promise<Post> {
  const post = sending(app, {})
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const opened = await post({ id: 0, method: 'initialize', params })
  const id = opened.headers.get('mcp-session-id') ?? ''
  await opened.text()
  const inside = sending(app, { 'Mcp-Session-Id': id, 'MCP-Protocol-Version': version })
  await inside({ method: 'notifications/initialized' })
  return inside
}

const call = (id: number, name: string): JsonObject => ({
  id,
  method: 'tools/call',
  params: { name, arguments: {}, _meta: { progressToken: 'p' } },
})
const messagesIn = (text: string) =>
  text.split('\n').flatMap((line) => (/^data: ?\{/.test(line) ? [JSON.parse(line.slice(5))] : []))

it('PKT-006 a call is answered by one JSON body', async () => {
  const post = await session(shop(pocketWire.server).app)
  const response = await post(call(1, 'quick'))
  expect(response.status).toBe(200)
  const body = response.headers.get('content-type')?.startsWith('application/json')
    ? [await response.json()]
    : messagesIn(await response.text())
  expect(body).toEqual([
    { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'done' }], structuredContent: {}, isError: false } },
  ])
})

it('PKT-006 PKT-007 a call may also be answered by a stream of progress that ends with the result', async () => {
  const post = await session(shop(pocketWire.server).app)
  const response = await post(call(1, 'steps'))
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const messages = messagesIn(await response.text())
  expect(messages.map(({ method, id }) => method ?? id)).toEqual([...Array(3).fill('notifications/progress'), 1])
  expect(messages.at(-1)).toMatchObject({ result: { structuredContent: {} } })
})

it.each([
  pocketWire,
  ...until('2025-11-25')
    .filter((version) => since('2025-03-26').includes(version))
    .map(wireOf),
])('PKT-007 over $name a separate POST cancels a call', async ({ server: options, client }) => {
  const { app, stopped } = shop(options)
  const post = await session(app, client.revision)
  const running = await post(call(1, 'endless'))
  const cancelled = await post({ method: 'notifications/cancelled', params: { requestId: 1, reason: 'enough' } })
  expect(cancelled.status).toBe(202)
  expect(String(await stopped)).toContain('enough')
  await running.body?.cancel()
})

const said = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }

it('PKT-007 over 2026-07-28 a separate POST is accepted', async () => {
  const { app } = shop({})
  const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'notifications/cancelled' }
  const response = await sending(app, headers)({ method: 'notifications/cancelled', params: { requestId: 1, _meta: said } })
  expect(response.status).toBe(202)
})

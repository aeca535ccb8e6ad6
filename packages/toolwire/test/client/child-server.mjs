// A server in a child process. It logs every message to the file, unchanged. Usage: node child-server.mjs <revision> <file>
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [, , revision, file] = process.argv
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const answer = (id, result) => say({ id, result: { resultType: 'complete', ...result } })
const text = (words) => ({ content: [{ type: 'text', text: String(words) }] })
const about = { capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} } }
const waiting = new Map()

/** Sends a request to the client, and passes its response to the callback. */
function ask(id, method, then) {
  waiting.set(id, then)
  say({ id, method })
}

const tools = {
  echo: (id, { text: words }) => answer(id, text(words)),
  pid: (id) => answer(id, text(process.pid)),
  token: (id) => answer(id, text(process.env.SHOP_TOKEN)),
  hang: () => {},
  chatty(id) {
    process.stderr.write('INFO all is well\n'.repeat(100_000))
    answer(id, text('quiet'))
  },
  messy(id) {
    process.stdout.write(`\n\r\nListening on port 3000\n${'x'.repeat(200_000)}\n`)
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...text('clean') } })}\r\n`)
  },
  /** Sends the messages, then the response. */
  say(id, { messages }) {
    for (const message of messages) say(message)
    answer(id, text('said'))
  },
  /** Asks two questions at once, and returns the order of their answers. */
  asks(id) {
    const order = []
    const done = (what) => {
      order.push(what)
      if (what === 'ping') say({ method: 'notifications/message', params: { level: 'info', data: 'pong' } })
      if (order.length === 2) answer(id, text(order))
    }
    ask('first', 'roots/list', () => done('roots'))
    ask('second', 'ping', () => done('ping'))
  },
  /** The questions of the latest revision. */
  confirms(id, _, { inputResponses }) {
    if (inputResponses) return answer(id, text(JSON.stringify(inputResponses)))
    const params = { mode: 'form', message: 'Sure?', requestedSchema: { type: 'object', properties: {} } }
    answer(id, { resultType: 'input_required', inputRequests: { sure: { method: 'elicitation/create', params } } })
  },
}

const methods = {
  initialize(id) {
    answer(id, { protocolVersion: revision, serverInfo: { name: 'child', version: '1' }, ...about })
    // Some servers send requests before the initialized notification.
    ask('early', 'roots/list', () => {})
  },
  'server/discover': (id) => answer(id, { supportedVersions: [revision], ttlMs: 0, cacheScope: 'private', ...about }),
  'tools/list': (id) => {
    const listed = Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } }))
    answer(id, { tools: listed, ttlMs: 0, cacheScope: 'private' })
  },
  'tools/call': (id, params) => tools[params.name](id, params.arguments, params),
  'subscriptions/listen': (id, { notifications }) => {
    const params = { notifications, _meta: { 'io.modelcontextprotocol/subscriptionId': id } }
    say({ method: 'notifications/subscriptions/acknowledged', params })
  },
}

process.stdin.on('data', (chunk) => appendFileSync(file, chunk))
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === undefined) waiting.get(id)?.()
  else methods[method]?.(id, params)
})

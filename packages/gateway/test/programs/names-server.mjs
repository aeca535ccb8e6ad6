// A server with arbitrary names of tools and prompts, which it returns when called: node names-server.mjs '["name", …]'
import { createInterface } from 'node:readline'

const names = JSON.parse(process.argv[2])
const titled = new Set(JSON.parse(process.argv[3] ?? '[]'))
const tools = names.map((name) => ({ name, ...(titled.has(name) && { title: 'Its title' }), inputSchema: { type: 'object' } }))
const answers = {
  initialize: () => ({
    protocolVersion: '2024-11-05',
    capabilities: { tools: {}, prompts: {} },
    serverInfo: { name: 'names', version: '1' },
  }),
  'tools/list': () => ({ tools }),
  'prompts/list': () => ({ prompts: names.map((name) => ({ name })) }),
  'tools/call': ({ name }) => ({ content: [{ type: 'text', text: `called ${name}` }] }),
  'prompts/get': ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `asked for ${name}` } }] }),
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const answer = answers[method]
  const outcome = answer ? { result: answer(params) } : { error: { code: -32601, message: method } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`)
}

// A server whose prompts have the given results, well-formed or not: node prompts-server.mjs '{"name": result, …}'
import { createInterface } from 'node:readline'

const results = JSON.parse(process.argv[2])
const answers = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: { prompts: {} },
    serverInfo: { name: 'prompts', version: '1' },
  }),
  'prompts/list': () => ({ prompts: Object.keys(results).map((name) => ({ name })) }),
  'prompts/get': ({ name }) => results[name],
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const answer = answers[method]
  const reply = answer ? { result: answer(params) } : { error: { code: -32601, message: method } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...reply })}\n`)
}

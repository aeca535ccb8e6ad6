// A server that sends exactly what its script says, even invalid messages, which a library would reject: node teller-server.mjs SCRIPT.json
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const { tools, results, progress, question } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))
const waiting = new Map()
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line)
  if (message.method === undefined) waiting.get(message.id)?.(message)
  else if (message.id !== undefined) void answer(message)
}

async function answer({ id, method, params }) {
  if (method === 'initialize') {
    const serverInfo = { name: 'teller', version: '1' }
    return send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } })
  }
  if (method === 'ping') return send({ id, result: {} })
  if (method === 'tools/list') return send({ id, result: { tools } })
  if (method === 'tools/call') return called(id, params)
  send({ id, error: { code: -32601, message: 'There is no such method' } })
}

async function called(id, { name, arguments: args = {}, _meta: { progressToken } = {} }) {
  if (name === 'fails') return send({ id, error: { code: -32000, message: results.fails } })
  for (const [done, message] of progress.entries())
    if (progressToken !== undefined)
      send({
        method: 'notifications/progress',
        params: { progressToken, progress: done + 1, total: progress.length + 1, message },
      })
  if (name === 'waits') return
  if (name === 'asks') {
    const answered = new Promise((resolve) => waiting.set('question', resolve))
    send({ id: 'question', method: 'elicitation/create', params: question })
    await answered
  }
  send({ id, result: results[name] ?? { content: [{ type: 'text', text: JSON.stringify(args) }] } })
}

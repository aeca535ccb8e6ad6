// A server without a library: it returns its input letter by letter, and sends numbers exactly as given.
import { createInterface } from 'node:readline'

const schema = '{"type":"object"}'
const tools = ['echo', 'write', 'reply'].map(
  (name) =>
    `{"name":"${name}","description":"Does ${name}","inputSchema":${schema},"annotations":{"readOnlyHint":${name !== 'write'}}}`,
)
const wide = `{"name":"wide","description":"Counts","inputSchema":{"type":"object","properties":{"n":{"type":"integer","maximum":18446744073709551615}}},"annotations":{"readOnlyHint":true}}`

const answers = {
  initialize: ({ params }) =>
    `{"protocolVersion":"${params.protocolVersion}","capabilities":{"tools":{}},"serverInfo":{"name":"exact","version":"1"}}`,
  'tools/list': () => `{"tools":[${[...tools, wide].join()}]}`,
  ping: () => '{}',
  'tools/call': ({ params }, line) =>
    params.name === 'reply'
      ? params.arguments.whole.replace('@', params.arguments.raw)
      : `{"content":[{"type":"text","text":${JSON.stringify(line)}}]}`,
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line)
  if (message.id === undefined) continue
  const id = JSON.stringify(message.id)
  const result = answers[message.method]?.(message, line)
  const outcome = result ? `"result":${result}` : '"error":{"code":-32601,"message":"no such method"}'
  process.stdout.write(`{"jsonrpc":"2.0","id":${id},${outcome}}\n`)
}

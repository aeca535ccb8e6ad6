// A server with unusual tools and results: node odd-server.mjs
import { createInterface } from 'node:readline'

const say = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
const tools = ['plain', 'no/name'].map((name) => ({
  name,
  title: 'Odd',
  inputSchema: {
    type: 'object',
    properties: { a: { $ref: '#/$defs/a' } },
    $defs: { a: { type: 'string' } },
    additionalProperties: true,
  },
  annotations: { readOnlyHint: true, title: 'Odder' },
  _meta: { 'com.example/odd': true },
}))
const odd = {
  content: [
    { type: 'text', text: 'hi', 'com.example/more': 1 },
    { type: 'hologram', beams: [1, 2] },
    { type: 'image', data: 'not base64!', mimeType: 'image/png' },
  ],
  structuredContent: { any: ['thing'] },
  _meta: { 'com.example/trace': 't', 'io.modelcontextprotocol/serverInfo': { name: 'odd', version: '1' } },
}
const answers = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: 'odd', version: '1' },
  },
  'tools/list': { tools },
  'resources/list': { resources: [{ uri: 'odd://one', name: 'one', _meta: { 'com.example/odd': 1 } }] },
  'resources/read': { contents: [{ uri: 'odd://one', text: 'read' }] },
  'tools/call': odd,
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line)
  if (id === undefined) continue
  if (answers[method]) say(id, answers[method])
  else process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: method } })}\n`)
}

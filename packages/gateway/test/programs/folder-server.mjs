// A server of 2025-11-25 that reports a file of a folder as soon as the folder is subscribed to: node folder-server.mjs
import { createInterface } from 'node:readline'

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

const results = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { resources: { subscribe: true } },
    serverInfo: { name: 'folder', version: '1.0.0' },
  },
  'resources/list': { resources: [{ uri: 'dir:1', name: 'folder' }] },
  'resources/templates/list': { resourceTemplates: [] },
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line)
  if (id === undefined) continue
  if (method === 'server/discover') send({ id, error: { code: -32_601, message: 'Unknown method' } })
  else send({ id, result: results[method] ?? {} })
  if (method === 'resources/subscribe') send({ method: 'notifications/resources/updated', params: { uri: 'dir:1/file' } })
}

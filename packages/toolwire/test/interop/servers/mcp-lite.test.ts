// Servers on mcp-lite, which supports only HTTP and no cancellation.
import { converse } from './conversation.js'
import { overHttp } from './ways.js'

const pinned = ['2025-06-18', '2025-03-26']

converse([
  ...overHttp('mcp-lite', { pinned, found: '2025-03-26', lacks: ['being cancelled'] }),
  ...overHttp('mcp-lite', { mode: 'stateless', pinned, found: '2025-03-26', lacks: ['being cancelled', 'changes', 'asking'] }),
])

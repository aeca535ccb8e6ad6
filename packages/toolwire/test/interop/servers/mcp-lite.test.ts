// Servers on mcp-lite, which speaks HTTP only and does not hear that a call is called off.
import { converse } from './conversation.js'
import { overHttp } from './ways.js'

const pinned = ['2025-06-18', '2025-03-26']

converse([
  ...overHttp('mcp-lite', { pinned, found: '2025-03-26', lacks: ['being cancelled'] }),
  ...overHttp('mcp-lite', { mode: 'stateless', pinned, found: '2025-03-26', lacks: ['being cancelled', 'changes', 'asking'] }),
])

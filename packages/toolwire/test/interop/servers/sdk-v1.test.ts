// Servers on the official SDK, v1.
import { converse } from './conversation.js'
import { handshake, overHttp, overStdio } from './ways.js'

converse([
  ...overStdio('sdk-v1', { pinned: handshake, found: '2025-11-25' }),
  ...overHttp('sdk-v1', { pinned: handshake, found: '2025-11-25' }),
  ...overHttp('sdk-v1', { mode: 'json', pinned: ['2025-06-18'], found: '2025-11-25', lacks: ['progress'] }),
  ...overHttp('sdk-v1', { mode: 'sse', path: '/sse', pinned: ['2024-11-05'], found: '2025-11-25' }),
])

// Servers on fastmcp, which does not tell when its tools change.
import { converse } from './conversation.js'
import { handshake, overHttp, overStdio } from './ways.js'

converse([
  ...overStdio('fastmcp', { pinned: handshake, found: '2025-11-25', lacks: ['changes'] }),
  // A session over HTTP takes it a second to open, so not all of the revisions it has over stdio are tried again.
  ...overHttp('fastmcp', { pinned: ['2025-06-18'], found: '2025-11-25', lacks: ['changes'] }),
  ...overHttp('fastmcp', { path: '/sse', pinned: ['2024-11-05'], found: '2025-11-25', lacks: ['changes'] }),
  ...overHttp('fastmcp', {
    mode: 'stateless',
    pinned: ['2025-03-26'],
    found: '2025-11-25',
    lacks: ['changes', 'asking', 'being cancelled'],
  }),
])

// Servers on fastmcp, which does not announce changes of its tools.
import { converse } from './conversation.js'
import { handshake, overHttp, overStdio } from './ways.js'

converse([
  ...overStdio('fastmcp', { pinned: handshake, found: '2025-11-25', lacks: ['changes'] }),
  // A session over HTTP takes a second to open, so only some of the revisions are repeated over HTTP.
  ...overHttp('fastmcp', { pinned: ['2025-06-18'], found: '2025-11-25', lacks: ['changes'] }),
  ...overHttp('fastmcp', { path: '/sse', pinned: ['2024-11-05'], found: '2025-11-25', lacks: ['changes'] }),
  ...overHttp('fastmcp', {
    mode: 'stateless',
    pinned: ['2025-03-26'],
    found: '2025-11-25',
    lacks: ['changes', 'asking', 'being cancelled'],
  }),
])

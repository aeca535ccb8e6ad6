// Servers on tmcp, which supports three older revisions and the latest. Handlers are notified of a closed connection, but not of a
// cancellation.
import { converse } from './conversation.js'
import { newest, overHttp, overStdio } from './ways.js'

const older = ['2025-06-18', '2025-03-26', '2024-11-05']

converse([
  ...overStdio('tmcp', { pinned: [newest, ...older], found: newest, lacks: ['being cancelled'] }),
  ...overHttp('tmcp', { pinned: [newest], found: newest }),
  ...overHttp('tmcp', { pinned: older, lacks: ['being cancelled'] }),
])

// Servers on the official SDK, v2. Over HTTP it serves older revisions without sessions, so it can send neither requests nor notifications.
import { converse } from './conversation.js'
import { handshake, newest, overHttp, overStdio } from './ways.js'

converse([
  ...overStdio('sdk-v2', { pinned: [newest, ...handshake], found: newest }),
  ...overHttp('sdk-v2', { pinned: [newest], found: newest }),
  ...overHttp('sdk-v2', { mode: 'json', pinned: [], found: newest, lacks: ['progress'] }),
  ...overHttp('sdk-v2', { pinned: handshake, lacks: ['asking', 'changes', 'being cancelled'] }),
])

// Servers on tmcp, which speaks three older revisions and the newest. Handlers hear of hanging up, and of nothing else.
import { converse } from './conversation.js'
import { newest, overHttp, overStdio } from './ways.js'

const older = ['2025-06-18', '2025-03-26', '2024-11-05']

converse([
  ...overStdio('tmcp', { pinned: [newest, ...older], found: newest, lacks: ['being cancelled'] }),
  ...overHttp('tmcp', { pinned: [newest], found: newest }),
  ...overHttp('tmcp', { pinned: older, lacks: ['being cancelled'] }),
])

// A server with one tool that claims to be destructive, one that claims not to be, and one without claims: node claims-server.mjs

import { server, tool } from 'toolwire'
import { serveStdio } from 'toolwire/stdio'

const run = () => 'done'
const app = server({
  name: 'claims',
  version: '1.0.0',
  tools: {
    says_nothing: tool({ description: 'Says nothing', run }),
    destroys: tool({ description: 'Destroys', hints: { destructive: true }, run }),
    adds: tool({ description: 'Adds', hints: { destructive: false }, run }),
  },
})
serveStdio(app)

// The child process of promises.test.ts. Its tool drops a promise that rejects. Usage: `node careless-server.mjs stdio|http`
import { server, tool } from 'toolwire'
import { listen } from 'toolwire/node'
import { serveStdio } from 'toolwire/stdio'

const drop = tool({
  description: 'Drops a promise that fails',
  run: () => {
    void Promise.reject(new Error('dropped'))
    return 'done'
  },
})
const app = server({ name: 'careless', version: '1.0.0', tools: { drop } })
if (process.argv[2] === 'stdio') await serveStdio(app)
else console.log((await listen(app)).url)

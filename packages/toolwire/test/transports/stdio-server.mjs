// The child process of stdio.test.ts. It uses the build, like the server of a user.
import { Socket } from 'node:net'
import { jsonSchema, server, tool } from 'toolwire'
import { serveStdio } from 'toolwire/stdio'

const wait = (ms) => new Promise((resolve) => setTimeout(() => resolve('done'), ms))

let dialled = 0
const { connect } = Socket.prototype
Socket.prototype.connect = function (...to) {
  dialled++
  return connect.apply(this, to)
}

const app = server({
  name: 'child',
  version: '1.0.0',
  tools: {
    echo: tool({
      description: 'Says it again',
      input: jsonSchema({ type: 'object', properties: { text: { type: 'string' } } }),
      run: ({ text }) => text ?? '',
    }),
    slow: tool({
      description: 'Waits',
      input: jsonSchema({ type: 'object', properties: { ms: { type: 'number' } } }),
      run: ({ ms }) => wait(ms),
    }),
    chatty: tool({
      description: 'Prints where it should not',
      run: () => {
        console.log('printed with ümläuts')
        process.stdout.write('written\n')
        return 'quiet'
      },
    }),
    credentials: tool({
      description: 'Tells which token it would use and how many connections this process has opened',
      run: () => `${process.env.SHOP_TOKEN}, ${dialled}`,
    }),
    dial: tool({ description: 'Opens a connection', run: () => void new Socket().connect({ port: 9 }).on('error', () => {}) }),
  },
})
await serveStdio(app)

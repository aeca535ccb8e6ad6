// A server whose resource changes, and that logs, at each tool call: node watched-server.mjs
import { resource, server, tool } from 'toolwire'
import { serveStdio } from 'toolwire/stdio'

const uri = 'notes://today'

export const app = server({
  name: 'watched',
  version: '1.0.0',
  logging: true,
  tools: {
    touch: tool({
      description: 'Changes the resource',
      hints: { readOnly: true },
      run: (_, { log }) => {
        log.debug('about to touch')
        log.error('touched, which is no error')
        app.resources.updated(uri)
        return 'touched'
      },
    }),
  },
  resources: {
    today: resource({ uri, read: () => `It is ${Date.now()}` }),
    yesterday: resource({ uri: 'notes://yesterday', read: () => 'gone by' }),
  },
})

await serveStdio(app)

// A server that says how far it is, and one tool of it fails.
import { server, tool } from 'toolwire'
import { serveStdio } from 'toolwire/stdio'
import { z } from 'zod'

const app = server({
  name: 'steps',
  version: '1.0.0',
  tools: {
    count: tool({
      description: 'Counts, and says how far it is',
      hints: { readOnly: true },
      input: z.object({ to: z.number(), everyMs: z.number() }),
      run: async ({ to, everyMs }, ctx) => {
        for (let at = 1; at <= to; at++) {
          await new Promise((resolve) => setTimeout(resolve, everyMs))
          ctx.progress(at, to, `at ${at}`)
        }
        return `counted to ${to}`
      },
    }),
    fail: tool({
      description: 'Fails',
      hints: { readOnly: true },
      run: () => {
        throw new Error('as it should')
      },
    }),
  },
})

await serveStdio(app)

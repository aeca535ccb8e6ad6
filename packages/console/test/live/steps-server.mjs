// A server with a tool that reports progress, and one that fails.
import { existsSync } from 'node:fs'
import { server, tool } from 'toolwire'
import { serveStdio } from 'toolwire/stdio'
import { object, string } from '../../../gateway/test/programs/schemas.mjs'

const app = server({
  name: 'steps',
  version: '1.0.0',
  tools: {
    count: tool({
      description: 'Counts until a file is there, and says how far it is',
      hints: { readOnly: true },
      input: object({ file: string }),
      run: async ({ file }, ctx) => {
        let at = 0
        while (!existsSync(file)) {
          await new Promise((resolve) => setTimeout(resolve, 100))
          ctx.progress(++at, 10_000, `at ${at}`)
        }
        return `counted to ${at}`
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

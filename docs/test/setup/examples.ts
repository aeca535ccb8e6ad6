// The server for examples in the comments of the library.
import { server, tool } from 'toolwire'
import { z as zod } from 'zod'

export const app = server({
  name: 'shop',
  version: '1.0.0',
  tools: {
    ping: tool({ description: 'Answers', run: () => 'pong' }),
    search: tool({
      description: 'Searches the shop',
      input: zod.object({ query: zod.string() }),
      output: zod.object({ hits: zod.array(zod.string()) }),
      run: () => ({ hits: [] }),
    }),
  },
})
export const z = zod

// The server for tests of the checks. It has an example of everything that the checks examine.
import { setTimeout as sleep } from 'node:timers/promises'
import { reply, resource, type Server, type ServerOptions, server, ToolError, tool } from 'toolwire'
import { z } from 'zod'

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const hints = { readOnly: true } as const

export const shop = (options: Pick<ServerOptions<never>, 'guard'> = {}): Server =>
  server({
    ...options,
    name: 'shop',
    version: '1.0.0',
    pageSize: 5,
    tools: {
      add: tool({
        description: 'Adds two numbers',
        hints,
        input: z.strictObject({ a: z.number(), b: z.number() }),
        output: z.object({ sum: z.number() }),
        run: ({ a, b }) => ({ sum: a + b }),
      }),
      picture: tool({ description: 'Shows a picture', hints, run: () => reply.image(png, 'image/png') }),
      steps: tool({
        description: 'Takes three steps',
        hints,
        run: (_, ctx) => {
          for (const step of [1, 2, 3]) ctx.progress(step, 3)
          return 'done'
        },
      }),
      slow: tool({
        description: 'Takes its time',
        run: async (_, ctx) => {
          await sleep(1_500, undefined, { signal: ctx.signal })
          return 'done'
        },
      }),
      buy: tool({ description: 'Buys everything', run: () => 'bought' }),
      find: tool({
        description: 'Finds a shop in a region',
        hints,
        input: z.strictObject({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }),
        run: ({ region }) => `There is one in ${region}`,
      }),
      shelf: tool({
        description: 'Shows what is on the shelf',
        hints,
        run: () =>
          reply.content(
            reply.text('A mug', { annotations: { audience: ['user'], priority: 1 } }),
            reply.link({ uri: 'shop://mug', name: 'Mug' }),
            reply.resource({ uri: 'shop://hours', text: '9 to 17' }),
          ),
      }),
      broken: tool({
        description: 'Fails',
        hints,
        run: () => {
          throw new ToolError('The till is stuck')
        },
      }),
    },
    resources: { hours: resource({ uri: 'shop://hours', read: () => '9 to 17' }) },
  })

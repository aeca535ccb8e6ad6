// The server the checks are tried on: one of everything that rows look at.
import { setTimeout as sleep } from 'node:timers/promises'
import { reply, type Server, type ServerOptions, server, tool } from 'toolwire'
import { z } from 'zod'

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const hints = { readOnly: true } as const

export const shop = (options: Pick<ServerOptions<never>, 'guard'> = {}): Server =>
  server({
    ...options,
    name: 'shop',
    version: '1.0.0',
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
    },
  })

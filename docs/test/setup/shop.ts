// A server with tools, for pages about clients, both as a value and at an address.
import { ask, reply, server, ToolError, tool } from 'toolwire'
import { listen } from 'toolwire/node'
import { z } from 'zod'

export const app = server({
  name: 'shop',
  version: '1.0.0',
  tools: {
    search: tool({
      description: 'Finds items',
      hints: { readOnly: true },
      input: z.object({ query: z.string() }),
      output: z.object({ hits: z.array(z.string()) }),
      run: ({ query }) => {
        if (query === '') throw new ToolError('Say what to look for')
        return { hits: ['Blue mug', 'Green mug', 'Shirt'].filter((name) => name.toLowerCase().includes(query)) }
      },
    }),
    pack: tool({
      description: 'Packs an order',
      input: z.object({ parcels: z.number().int().max(100) }),
      run: async ({ parcels }, ctx) => {
        for (let done = 1; done <= parcels; done++) ctx.progress(done, parcels, `parcel ${done}`)
        return reply.text(`packed ${parcels} parcels`)
      },
    }),
    deploy: tool({
      description: 'Deploys the shop',
      hints: { destructive: true },
      input: z.object({ env: z.enum(['dev', 'prod']) }),
      asks: { confirm: ask('Deploy to this environment?', z.object({ yes: z.boolean().default(true) })) },
      run: ({ env }, ctx) => {
        if (!ctx.answers.confirm.yes) throw new ToolError('Left as it is')
        return `deployed to ${env}`
      },
    }),
  },
})

const listening = await listen(app, { port: 0 })
export const url = listening.url

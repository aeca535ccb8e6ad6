import { ask, reply, server, ToolError, tool } from 'toolwire'
import { connect, ToolCallError } from 'toolwire/client'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { every } from '../editions.js'

const app = server({
  name: 'shop',
  version: '1.0.0',
  tools: {
    search: tool({
      hints: { readOnly: true },
      input: z.object({ query: z.string() }),
      output: z.object({ hits: z.array(z.string()) }),
      run: ({ query }) => ({ hits: [query] }),
    }),
    fail: tool({
      run: () => {
        throw new ToolError('no')
      },
    }),
    order: tool({
      asks: { confirm: ask('Sure?', z.object({ yes: z.boolean() })) },
      run: (_, ctx) => reply.text(ctx.answers.confirm.yes ? 'ordered' : 'left'),
    }),
  },
})

describe.each(every)('in memory, %s', (revision) => {
  it('calls', async () => {
    await using shop = await connect<typeof app>(app, {
      revision,
      answers: { form: () => ({ action: 'accept', content: { yes: true } }) },
    })
    expect(shop.server.revision).toBe(revision)
    expect((await shop.listTools()).map(({ name }) => name)).toEqual(['search', 'fail', 'order'])
    const found = await shop.tools.search({ query: 'mug' })
    if (revision >= '2025-06-18') expect(found.hits).toEqual(['mug'])
    await expect(shop.tools.fail()).rejects.toThrow(ToolCallError)
    if (revision >= '2025-06-18') expect(await shop.tools.order()).toMatchObject({ content: [{ text: 'ordered' }] })
  })
})

// A typed tool function returns a value of the declared type, in every revision.
import { type Json, jsonSchema, reply, server, tool } from 'toolwire'
import { connect } from 'toolwire/client'
import { harness } from 'toolwire/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import '../reported-faults.js'
import { every } from '../revisions.js'

const app = server({
  name: 'shop',
  version: '1.0.0',
  tools: {
    found: tool({ output: z.object({ hits: z.array(z.string()) }), run: () => ({ hits: ['Blue mug'] }) }),
    withText: tool({
      output: z.object({ hits: z.array(z.string()) }),
      run: () => reply.structured({ hits: [] }, reply.text('None')),
    }),
    list: tool({ output: z.array(z.number()), run: () => [1, 2] }),
    count: tool({ output: z.number(), run: () => 3 }),
    none: tool({ output: z.null(), run: () => null }),
    // A result object that looks like the wrapper around other values.
    result: tool({ output: z.object({ result: z.string() }), run: () => ({ result: 'as it is' }) }),
    either: tool({ output: jsonSchema<Json>({ type: ['object', 'string'] }), run: () => ({ result: 'as it is' }) }),
    text: tool({ run: () => '{"json":"by chance"}' }),
    plainText: tool({ run: () => reply.text('[1]').withMeta({ 'com.example/trace': 'a' }) }),
  },
})

describe.each(every)('at %s', (revision) => {
  it.each([
    ['connect', () => connect(app, { revision })],
    ['harness', () => harness(app, { revision })],
  ] as const)('%s', async (_, open) => {
    const { tools, close } = await open().then((client) => ({ tools: client.tools, close: () => client.close() }))
    expect(await tools.found()).toEqual({ hits: ['Blue mug'] })
    expect(await tools.withText()).toEqual({ hits: [] })
    expect(await tools.list()).toEqual([1, 2])
    expect(await tools.count()).toBe(3)
    expect(await tools.none()).toBeNull()
    expect(await tools.result()).toEqual({ result: 'as it is' })
    expect(await tools.either()).toEqual({ result: 'as it is' })
    expect(await tools.text()).toMatchObject({ content: [{ type: 'text', text: '{"json":"by chance"}' }] })
    expect(await tools.plainText()).toMatchObject({ content: [{ text: '[1]' }], _meta: { 'com.example/trace': 'a' } })
    await close()
  })
})

import { ask, reportTo, server, tool } from 'toolwire'
import { harness } from 'toolwire/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'

const run = () => 'done'
const about = { name: 's', version: '1.0.0' }
/** Disables type checking of the definition, as in plain JavaScript. */
const anyTool = tool as unknown as (definition: object) => ReturnType<typeof tool>

const mistakes: readonly [string, unknown, RegExp][] = [
  ['a shape', { query: z.string(), limit: z.number() }, /object of schemas.*z\.object\(\{ query, limit \}\)/],
  ['a shape of zod 3', { query: z3.string() }, /`query`.*zod 3.*zod 4\.2 or newer.*jsonSchema/],
  ['a schema of zod 3', z3.object({ query: z3.string() }), /zod 3.*zod 4\.2 or newer.*jsonSchema/],
  [
    'a plain JSON Schema',
    { type: 'object', properties: { query: { type: 'string' } } },
    /plain JSON Schema. Wrap it: jsonSchema/,
  ],
  ['a plain JSON Schema without a type', { properties: {} }, /plain JSON Schema/],
  ['an empty object', {}, /empty object.*Leave it out/],
  ['names and types', { query: 'string' }, /neither a schema of a Standard Schema library/],
  ['a text', 'string', /not a schema/],
  ['null', null, /not a schema/],
]

describe('An invalid schema is refused at its definition, with advice', () => {
  it.each(mistakes)('as an input: %s', (_, schema, sentence) => {
    expect(() => anyTool({ input: schema, run })).toThrow(sentence)
    expect(() => anyTool({ input: schema, run })).toThrow(/^`input` /)
  })

  it.each(mistakes)('as an output: %s', (_, schema, sentence) => {
    expect(() => anyTool({ output: schema, run })).toThrow(sentence)
  })

  it.each(mistakes)('as a question: %s', (_, schema, sentence) => {
    const asking = () => server({ ...about, tools: { a: tool({ asks: { sure: ask('Sure?', schema as never) }, run }) } })
    expect(asking).toThrow(sentence)
  })

  it('a schema of an unsupported zod version is refused with the name of a supported one', () => {
    const { validate } = z.object({})['~standard']
    const older = { '~standard': { version: 1, vendor: 'zod', validate } } as const
    expect(() => server({ ...about, tools: { a: tool({ input: older, run }) } })).toThrow(/zod 4\.2 or newer/)
  })
})

describe('A tool that returns a protocol result out of habit', () => {
  const reported: string[] = []
  afterEach(() => void reported.splice(0))
  reportTo((_, __, fault) => void reported.push(fault instanceof Error ? fault.message : String(fault)))

  const wire = { content: [{ type: 'text', text: 'one hit' }], structuredContent: { hits: ['a'] } }

  it.each([
    ['without an output', anyTool({ run: () => wire })],
    ['with an output', anyTool({ output: z.object({ hits: z.array(z.string()) }), run: () => wire })],
  ])('fails with an explanation for its author: %s', async (_, habit) => {
    const client = await harness(server({ ...about, tools: { habit } }))
    expect(await client.call('habit')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/failed unexpectedly/) }],
    })
    expect(reported.filter((text) => !text.includes('description')).join()).toMatch(
      /run` returned \{ content: .*a string or the content blocks.*reply\.structured/,
    )
    client.close()
  })

  it('succeeds if its output schema allows the value', async () => {
    const output = z.object({ content: z.array(z.string()) })
    const client = await harness(server({ ...about, tools: { a: tool({ output, run: () => ({ content: ['x'] }) }) } }))
    expect(await client.tools.a()).toEqual({ content: ['x'] })
    client.close()
  })
})

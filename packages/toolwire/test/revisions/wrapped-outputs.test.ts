import Ajv2020 from 'ajv/dist/2020.js'
import { type Json, type JsonObject, jsonSchema, server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import '../reported-faults.js'
import { judged } from '../official-schemas.js'

type Tree = { name: string; children: Tree[] }
const Tree: z.ZodType<Tree> = z.lazy(() => z.object({ name: z.string(), children: z.array(Tree) }))

const outputs: Record<string, { output: object; right: Json; wrong: Json }> = {
  'a list': { output: { type: 'array', items: { type: 'string' } }, right: ['a'], wrong: [1] },
  'references into $defs': {
    output: { type: 'array', items: { $ref: '#/$defs/one' }, $defs: { one: { type: 'integer' } } },
    right: [1],
    wrong: ['a'],
  },
  'a reference to itself': { output: { type: ['array', 'null'], items: { $ref: '#' } }, right: [[null]], wrong: [[1]] },
  'a schema of two kinds': {
    output: { anyOf: [{ type: 'string' }, { type: 'object', required: ['a'] }] },
    right: { a: 1 },
    wrong: {},
  },
  'a constant with a $ref in it': { output: { const: [{ $ref: '#/x' }] }, right: [{ $ref: '#/x' }], wrong: [] },
  'an address of its own': {
    output: {
      $id: 'https://shop.example/list',
      type: 'array',
      items: { $ref: '#/$defs/one' },
      $defs: { one: { type: 'integer' } },
    },
    right: [1],
    wrong: ['a'],
  },
  'a named dialect': {
    output: { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'string' },
    right: 'a',
    wrong: 1,
  },
}

/** Before 2026-07-28 a structured value is an object. Other values are wrapped in one, and so are their schemas. */
describe.each(['2025-06-18', '2025-11-25'])('at %s', (revision) => {
  async function listedAndCalled(answer: ReturnType<typeof tool>) {
    const t = await judged(server({ name: 'shop', version: '1', tools: { answer } }), { revision })
    const { tools } = (await t.request('tools/list')) as unknown as { tools: { outputSchema: JsonObject }[] }
    const check = new Ajv2020.default({ strict: false }).compile(tools[0]?.outputSchema as JsonObject)
    return { check, result: await t.call('answer') }
  }

  it.each(Object.entries(outputs))('an output with %s keeps its meaning inside an object', async (_, {
    output,
    right,
    wrong,
  }) => {
    const answer = tool({ output: jsonSchema<Json>(output as JsonObject), run: () => right })
    const { check, result } = await listedAndCalled(answer as ReturnType<typeof tool>)
    expect(result.structuredContent).toEqual({ result: right })
    expect(check(result.structuredContent)).toBe(true)
    expect(check({ result: wrong })).toBe(false)
  })

  it('a recursive schema of another library keeps its meaning, too', async () => {
    const answer = tool({ output: z.array(Tree), run: () => [{ name: 'root', children: [{ name: 'leaf', children: [] }] }] })
    const { check, result } = await listedAndCalled(answer as unknown as ReturnType<typeof tool>)
    expect(check(result.structuredContent)).toBe(true)
    expect(check({ result: [{ name: 'root', children: [{}] }] })).toBe(false)
  })
})

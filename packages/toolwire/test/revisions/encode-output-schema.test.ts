import Ajv2020 from 'ajv/dist/2020.js'
import { type JsonObject, jsonSchema, server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { until } from '../revisions.js'
import '../reported-faults.js'
import { judged } from '../official-schemas.js'

const byName = { properties: { by: { const: 'name' }, name: { type: 'string' } }, required: ['by', 'name'] }
const byNumber = { properties: { by: { const: 'number' }, number: { type: 'integer' } }, required: ['by', 'number'] }

const roots: Record<string, { schema: object; fits: JsonObject[] }> = {
  oneOf: {
    schema: { oneOf: [byName, byNumber] },
    fits: [
      { by: 'name', name: 'a' },
      { by: 'number', number: 1 },
    ],
  },
  anyOf: { schema: { anyOf: [byName, byNumber], properties: { note: {} } }, fits: [{ by: 'number', number: 1, note: true }] },
  allOf: {
    schema: { allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, { properties: { b: {} } }] },
    fits: [{ a: 'x', b: 1 }],
  },
  'if and then': {
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    schema: { properties: { a: {} }, if: { required: ['a'] }, then: byName, else: byNumber },
    fits: [
      { a: 1, by: 'name', name: 'b' },
      { by: 'number', number: 2 },
    ],
  },
  $ref: { schema: { $ref: '#/$defs/name', $defs: { name: byName } }, fits: [{ by: 'name', name: 'a' }] },
  'a closed root': {
    schema: { properties: { by: {}, name: {}, number: {} }, oneOf: [byName, byNumber], additionalProperties: false },
    fits: [{ by: 'number', number: 1 }],
  },
  dependentRequired: {
    schema: { properties: { a: {}, b: {} }, dependentRequired: { a: ['b'] } },
    fits: [{ a: 1, b: 2 }, { b: 1 }],
  },
}

/** Before 2026-07-28 the root is a plain object. The published schema may be looser than the original, but never stricter. */
describe.each(until('2025-11-25'))('at %s', (revision) => {
  it.each(Object.entries(roots))('a root with %s is published as a plain object that accepts all outputs of the tool', async (_, {
    schema,
    fits,
  }) => {
    const find = tool({ input: jsonSchema({ type: 'object', ...schema }), run: () => 'found' })
    const t = await judged(server({ name: 'shop', version: '1', tools: { find } }), { revision })
    const { tools } = (await t.request('tools/list')) as unknown as { tools: { inputSchema: JsonObject }[] }
    const published = tools[0]?.inputSchema as JsonObject
    expect(Object.keys(published)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(oneOf|anyOf|allOf|if|then|else|\$ref|dependentRequired)$/)]),
    )
    const check = new Ajv2020.default({ strict: false }).compile(published)
    for (const args of fits) {
      expect(check(args), JSON.stringify(published)).toBe(true)
      expect((await t.call('find', args)).isError).toBe(false)
    }
  })

  it('the tool still validates with the whole schema', async () => {
    const find = tool({ input: jsonSchema({ type: 'object', oneOf: [byName, byNumber] }), run: () => 'found' })
    const t = await judged(server({ name: 'shop', version: '1', tools: { find } }), { revision })
    const refused = await t.call('find', { by: 'name', number: 1 }).catch((error) => ({ isError: error.code === -32602 }))
    expect(refused.isError).toBe(true)
  })
})

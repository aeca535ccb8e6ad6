import { connect, Socket } from 'node:net'
import Ajv07 from 'ajv'
import Ajv2020 from 'ajv/dist/2020.js'
import { type JsonObject, jsonSchema, server, tool } from 'toolwire'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { dialectNames } from '../../../src/schema/dialects/dialects.js'
import { every, until } from '../../revisions.js'
import '../../reported-faults.js'
import { judged } from '../../official-schemas.js'
import { expectWithin } from '../../soak.js'

const draft07 = 'http://json-schema.org/draft-07/schema#'
const offering = (schema: object) =>
  server({
    name: 'shop',
    version: '1',
    tools: { find: tool({ input: jsonSchema({ type: 'object', ...schema }), run: () => 'found' }) },
  })

/** True if a call with these arguments reaches the tool. */
async function accepts(schema: object, args: JsonObject): Promise<boolean> {
  const t = await judged(offering(schema))
  return !(await t.call('find', args)).isError
}

describe('a server refuses to offer a schema', () => {
  it.each([
    ['JSCH-006', 'of no known type', { properties: { a: { type: 'strnig' } } }, 'type'],
    ['JSCH-006', 'that breaks its meta-schema', { required: 'a' }, 'required'],
    ['JSCH-006', 'that breaks the meta-schema of draft-07', { $schema: draft07, properties: { a: { items: 5 } } }, 'items'],
    ['JSCH-006', 'whose pattern is none', { properties: { a: { pattern: '(' } } }, 'pattern'],
    ['JSCH-004', 'in a dialect it does not know', { $schema: 'urn:x' }, 'not supported'],
    ['JSCH-004', 'in draft-04', { $schema: 'http://json-schema.org/draft-04/schema#' }, 'not supported'],
    ['JSCH-010', 'with a reference to nowhere', { properties: { a: { $ref: '#/$defs/missing' } } }, 'cannot be resolved'],
    ['JSCH-010', 'with a reference to elsewhere', { properties: { a: { $ref: 'https://example.com/a.json' } } }, 'never fetched'],
    ['JSCH-012', 'that nests without end', nested(2_000), 'deep'],
  ])('%s %s', (_id, _what, schema, why) => {
    expect(() => offering(schema)).toThrow(why)
  })

  it('JSCH-006 for an invalid output', () => {
    const find = () => tool({ output: jsonSchema<number>({ type: 'strnig' }), run: () => 1 })
    expect(() => server({ name: 'shop', version: '1', tools: { find: find() } })).toThrow('type')
  })
})

function nested(levels: number): object {
  let schema: object = { type: 'string' }
  for (let level = 0; level < levels; level++) schema = { type: 'object', properties: { a: schema } }
  return schema
}

it('JSCH-007 JSCH-008 a server opens no connection for an external reference', () => {
  const opened = vi.spyOn(Socket.prototype, 'connect')
  const fetched = vi.spyOn(globalThis, 'fetch')
  for (const $ref of ['https://json-schema.org/a.json', 'http://127.0.0.1:1/a', '//example.com/a', 'http://169.254.169.254/a']) {
    expect(() => offering({ properties: { a: { $ref } } })).toThrow('cannot be resolved')
  }
  expect(opened).not.toHaveBeenCalled()
  expect(fetched).not.toHaveBeenCalled()
  connect({ port: 1, host: '127.0.0.1' }).on('error', () => undefined)
  expect(opened).toHaveBeenCalledOnce()
  vi.restoreAllMocks()
})

const pair = { properties: { pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] } } }
const oldPair = { properties: { pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] } } }

it('JSCH-001 JSCH-002 a server reads a schema without a dialect as 2020-12', async () => {
  expect(await accepts(pair, { pair: ['a', 1] })).toBe(true)
  expect(await accepts(pair, { pair: [1, 'a'] })).toBe(false)
  expect(() => offering(oldPair)).toThrow('items')
})

it('JSCH-003 a server reads a schema in the dialect it names', async () => {
  expect(await accepts({ $schema: draft07, ...oldPair }, { pair: ['a', 1] })).toBe(true)
  expect(await accepts({ $schema: draft07, ...oldPair }, { pair: [1, 'a'] })).toBe(false)
  expect(await accepts({ $schema: draft07, ...pair }, { pair: [1, 'a'] })).toBe(true)
})

it('JSCH-011 a server follows references within the document, at any depth of the value', async () => {
  const tree = {
    type: 'object',
    properties: { next: { $ref: '#/$defs/tree' }, leaf: { $ref: '#leaf' } },
    additionalProperties: false,
  }
  const schema = { properties: { tree: { $ref: '#/$defs/tree' } }, $defs: { tree, leaf: { $anchor: 'leaf', type: 'integer' } } }
  const deep = (leaf: unknown) => Array.from({ length: 50 }).reduce<object>((next) => ({ next }), { leaf })
  expect(await accepts(schema, { tree: deep(1) as JsonObject })).toBe(true)
  expect(await accepts(schema, { tree: deep('1') as JsonObject })).toBe(false)
})

it('JSCH-012 a server ends an endless validation', async () => {
  const fork = (to: string) => ({
    anyOf: [{ allOf: [{ $ref: to }, { $ref: to }, false] }, { allOf: [{ $ref: to }, { $ref: to }] }],
  })
  const $defs = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`d${at}`, at === 39 ? { type: 'string' } : fork(`#/$defs/d${at + 1}`)]),
  )
  const start = performance.now()
  expect(await accepts({ properties: { a: { $ref: '#/$defs/d0' } }, $defs }, { a: 1 })).toBe(false)
  expectWithin(performance.now() - start, 5_000)
})

describe.each(every)('at %s', (revision) => {
  it.each([
    [{ count: '5' }, '/count'],
    [{ count: 5.5 }, '/count'],
    [{ count: true }, '/count'],
    [{ count: null }, '/count'],
  ])('JSCH-014 %j is an error, and is never converted', async (args, where) => {
    const seen: unknown[] = []
    const find = tool({
      input: jsonSchema({ type: 'object', properties: { count: { type: 'integer' } } }),
      run: (input) => String(seen.push(input)),
    })
    const t = await judged(server({ name: 'shop', version: '1', tools: { find } }), { revision })
    const said = await t.call('find', args as JsonObject).then(JSON.stringify, (error) => error.message)
    expect(said).toContain(where)
    expect(seen).toEqual([])
  })

  it('JSCH-014 a format is only an annotation', async () => {
    const find = tool({
      input: jsonSchema({ type: 'object', properties: { mail: { type: 'string', format: 'email' } } }),
      run: () => 'found',
    })
    const t = await judged(server({ name: 'shop', version: '1', tools: { find } }), { revision })
    expect((await t.call('find', { mail: 'nobody' })).isError).toBe(false)
  })
})

const ordinary = {
  search: z.object({
    query: z.string().min(1),
    limit: z.number().int().max(50).optional(),
    tags: z.array(z.string()).optional(),
  }),
  order: z.object({
    size: z.enum(['s', 'm', 'l']),
    to: z.object({ street: z.string(), zip: z.string().regex(/^\d{5}$/) }).optional(),
  }),
  count: z.object({ by: z.record(z.string(), z.number()).optional(), exact: z.boolean().optional() }),
}
const samples: JsonObject[] = [
  {},
  { query: 'mug' },
  { query: '' },
  { query: 'mug', limit: 51 },
  { query: 'mug', limit: 1.5 },
  { query: 'mug', tags: ['a', 1] },
  { size: 's' },
  { size: 'xl' },
  { size: 'm', to: { street: 'Main' } },
  { size: 'm', to: { street: 'Main', zip: '12345' } },
  { size: 'm', to: { street: 'Main', zip: 'x' } },
  { by: { a: 1 } },
  { by: { a: 'b' } },
  { exact: true },
  { exact: 'true' },
  { surprise: 1 },
]

it.each(until('2025-06-18'))('JSCH-013 a schema published at %s has the same meaning in both dialects', async (revision) => {
  const tools = Object.fromEntries(Object.entries(ordinary).map(([name, input]) => [name, tool({ input, run: () => 'found' })]))
  const t = await judged(server({ name: 'shop', version: '1', tools }), { revision })
  const listed = (await t.request('tools/list')) as unknown as { tools: { name: string; inputSchema: JsonObject }[] }
  expect(JSON.stringify(listed)).not.toContain('$schema')
  for (const { inputSchema } of listed.tools) {
    const older = new Ajv07.default({ strict: false }).compile(inputSchema)
    const newer = new Ajv2020.default({ strict: false }).compile(inputSchema)
    const verdicts = samples.map((sample) => older(sample))
    expect(verdicts).toEqual(samples.map((sample) => newer(sample)))
    expect(new Set(verdicts).size).toBe(2)
  }
})

it('JSCH-005 the documentation lists the dialects that the code supports', async () => {
  const { readFile } = await import('node:fs/promises')
  const page = await readFile(new URL('../../../../../docs/reference/json-schema.md', import.meta.url), 'utf8')
  const table = /## Dialects\n([\s\S]*?)\n## /.exec(page)?.[1] ?? ''
  const documented = [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name)
  expect(documented.sort()).toEqual([...dialectNames].sort())
})

// Schemas that attack the validator.
import type { JsonObject } from '../../../src/json.js'
import { alike, type Fault, type Script, text } from '../fault.js'

const object = { type: 'object' } as const
const giving = (structuredContent: JsonObject): Script => {
  return (wire, ask) => wire.answer(ask, { ...text('ok'), structuredContent })
}

function doubled(levels: number): JsonObject {
  const $defs: JsonObject = { a0: { type: 'integer' } }
  for (let level = 1; level <= levels; level++) {
    const below = { $ref: `#/$defs/a${level - 1}` }
    $defs[`a${level}`] = { allOf: [below, below] }
  }
  return { ...object, properties: { x: { $ref: `#/$defs/a${levels}` } }, $defs }
}

function nested(depth: number): JsonObject {
  let schema: JsonObject = { type: 'string' }
  for (let level = 0; level < depth; level++) schema = { items: schema }
  return { ...object, properties: { x: schema } }
}

const slow = { ...object, properties: { x: { type: 'string', pattern: '^(a+)+$' } } }
const many = { ...object, properties: { x: { anyOf: Array.from({ length: 3_000 }, (_, only) => ({ const: only })) } } }
const stuck = `${'a'.repeat(40)}!`
const quick = 1_000

const outputs = alike({ ids: 'JSCH-012' }, [
  {
    name: 'an output pattern that takes forever',
    bad: { outputSchema: slow },
    on: { bad: giving({ x: stuck }) },
    shows: { fails: 'InvalidResult', withinMs: quick },
  },
  {
    name: 'an output schema of exponential work',
    bad: { outputSchema: doubled(30) },
    on: { bad: giving({ x: 1 }) },
    shows: { fails: 'InvalidResult', withinMs: quick },
  },
  ...Object.entries({
    'of 40 levels': nested(40),
    'of 3,000 subschemas': many,
    'of 300 KiB': { ...object, description: 'x'.repeat(300 * 1_024) },
    'with a pattern that nobody can bound': { ...object, properties: { x: { type: 'string', pattern: '(a)\\1' } } },
    'in an unknown dialect': { ...object, $schema: 'https://example.com/dialect' },
  }).map(([which, outputSchema]): Fault => {
    return {
      name: `an output schema ${which}`,
      bad: { outputSchema },
      on: { bad: giving({ x: 'x' }) },
      shows: { fails: 'bad_response', withinMs: quick, seen: { 'call:bad': 0 } },
    }
  }),
])

const inputs: readonly Fault[] = [
  {
    name: 'an input pattern that takes forever',
    ids: 'JSCH-012',
    bad: { inputSchema: slow },
    does: (client) => client.call('bad', { x: stuck }),
    shows: { fails: 'InvalidArguments', withinMs: quick },
  },
  {
    name: 'an input schema of exponential work',
    ids: 'JSCH-012',
    bad: { inputSchema: doubled(30) },
    does: (client) => client.call('bad', { x: 1 }),
    shows: { fails: 'InvalidArguments', withinMs: quick },
  },
  {
    name: 'a schema 20,000 levels deep',
    ids: 'JSCH-012',
    on: {
      'tools/list': (wire, ask) => {
        const deep = `${'{"items":'.repeat(20_000)}{}${'}'.repeat(20_000)}`
        wire.last(`{"jsonrpc":"2.0","id":${ask.id},"result":{"tools":[{"name":"deep","inputSchema":${deep}}]}}`)
      },
    },
    options: () => ({ limits: { idleMs: 300 } }),
    does: (client) => client.listTools({ fresh: true }),
    shows: ({ carrier }) => ({
      fails: carrier === 'http' ? 'bad_response' : 'timed_out',
      withinMs: 1_500,
      afterwards: 'unasked',
    }),
  },
]

const references: readonly Fault[] = [
  {
    name: 'a $ref to a URL',
    ids: 'JSCH-007 JSCH-010 SECC-005',
    bad: ({ elsewhere }) => ({ outputSchema: { ...object, properties: { x: { $ref: `${elsewhere}/schema.json` } } } }),
    on: { bad: giving({ x: 1 }) },
    shows: { fails: 'bad_response', seen: { elsewhere: 0, 'call:bad': 0 } },
  },
  {
    name: 'a $schema at a URL',
    ids: 'JSCH-007 SECC-005',
    bad: ({ elsewhere }) => ({ inputSchema: { ...object, $schema: `${elsewhere}/dialect.json` } }),
    shows: { fails: 'bad_response', seen: { elsewhere: 0, 'call:bad': 0 } },
  },
  {
    name: 'two tools whose schemas have one $id',
    tools: () => [sharing('first', 'string'), sharing('second', 'integer')],
    on: {
      'tools/call': (wire, ask) => (ask.params?.name === 'echo' ? wire.answer(ask, text('still here')) : sharedText(wire, ask)),
    },
    does: async (client) => {
      const ends = await Promise.allSettled(['first', 'second', 'first'].map((name) => client.call(name)))
      return ends.map((end) => (end.status === 'fulfilled' ? 'fits' : end.reason.name))
    },
    shows: { gives: ['fits', 'InvalidResult', 'fits'] },
  },
  {
    name: 'a schema that refers to one of another tool',
    ids: 'JSCH-010',
    tools: () => [
      sharing('first', 'string'),
      { name: 'thief', inputSchema: object, outputSchema: { ...object, properties: { x: { $ref: shared } } } },
    ],
    does: (client) => client.call('thief'),
    shows: { fails: 'bad_response', seen: { 'call:thief': 0 } },
  },
]

const sharedText = giving({ x: 'a string' })
const shared = 'https://hostile.example/shared.json'

function sharing(name: string, type: string) {
  return { name, inputSchema: object, outputSchema: { $id: shared, ...object, properties: { x: { type } } } }
}

export const schemas = [...outputs, ...inputs, ...references]

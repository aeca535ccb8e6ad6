// Lists that are endless or have invalid entries.
import type { Json, JsonObject } from '../../../src/json.js'
import { type Ask, alike, type Fault, type Script, text, type Wire } from '../fault.js'

const kept = { ttlMs: 0, cacheScope: 'private' }
const tool = (name: string, more: JsonObject = {}): JsonObject => ({ name, inputSchema: { type: 'object' }, ...more })
const page =
  (nextCursor: (wire: Wire, ask: Ask) => Json, tools: () => JsonObject[] = () => [tool('echo')], ttlMs = 0): Script =>
  (wire, ask) =>
    wire.answer(ask, { ...kept, tools: tools(), nextCursor: nextCursor(wire, ask), ttlMs })
const list: Fault['does'] = async (client) => (await client.listTools({ fresh: true })).length
const names: Fault['does'] = async (client) => (await client.listTools({ fresh: true })).map(({ name }) => name).sort()
const stopped = { fails: 'limit', withinMs: 2_000, afterwards: 'unasked' } as const

const huge = () => [1, 2, 3].map((nth) => tool(`huge_${pages}_${nth}`, { description: 'x'.repeat(1_000_000) }))
const longest = 1_000_000
let pages = 0
const growing = ({ params }: Ask) => `${pages++}`.padEnd(Math.min(longest, 2 * String(params?.cursor ?? 'x').length), 'x')

const endless = alike({ ids: 'PAGE-009', does: list }, [
  {
    name: 'pages without end',
    on: { 'tools/list': page(() => `page ${pages++}`) },
    shows: { ...stopped, seen: { 'tools/list': 64 } },
  },
  {
    name: 'the same cursor again and again',
    on: { 'tools/list': page(() => 'again') },
    shows: { ...stopped, seen: { 'tools/list': [2, 3] } },
  },
  {
    name: 'two cursors in turn',
    on: { 'tools/list': page((_, { params }) => (params?.cursor === 'a' ? 'b' : 'a')) },
    shows: { ...stopped, seen: { 'tools/list': [2, 4] } },
  },
  {
    name: 'an empty cursor without end',
    style: 'per-request',
    on: { 'tools/list': page(() => '') },
    shows: { ...stopped, seen: { 'tools/list': [2, 3] } },
  },
  {
    name: 'pages of 3 MB without end, each to be kept for a day',
    on: { 'tools/list': page(() => `page ${pages++}`, huge, 86_400_000) },
    shows: { ...stopped, seen: { 'tools/list': [2, 8] } },
  },
  {
    name: 'cursors that double up to a megabyte',
    on: { 'tools/list': page((_, ask) => growing(ask)) },
    shows: { ...stopped, seen: { 'tools/list': [2, 64] } },
  },
])

const many = (count: number) => () =>
  Array.from({ length: count }, (_, nth) =>
    tool(`tool_${nth}`, { description: `Number ${nth}`, outputSchema: { type: 'object' } }),
  )

const crowded: readonly Fault[] = [
  { name: '9,998 more tools in one list', tools: many(9_998), does: list, shows: { gives: 10_000, withinMs: 2_500 } },
  {
    name: '10,001 tools in one list',
    ids: 'PAGE-009',
    tools: many(9_999),
    does: list,
    shows: { ...stopped, withinMs: 2_500 },
  },
  {
    name: 'a list that is an object',
    on: { 'tools/list': (wire, ask) => wire.answer(ask, { tools: { 0: tool('x') }, ...kept }) },
    does: list,
    shows: { fails: 'bad_response', afterwards: 'unasked' },
  },
  {
    name: 'a cursor that is a number',
    on: { 'tools/list': page(() => 1) },
    does: list,
    shows: { fails: 'bad_response', afterwards: 'unasked' },
  },
]

const odd = alike({ ids: 'LIST-008' }, [
  {
    name: 'broken definitions among good ones',
    tools: () => [
      null,
      'x',
      [],
      {},
      tool(''),
      { name: 'no_schema' },
      { name: 'null_schema', inputSchema: null },
      { name: 'array_schema', inputSchema: { type: 'array' } },
      { name: 7, inputSchema: { type: 'object' } },
      tool('good'),
    ],
    does: names,
    shows: { gives: ['bad', 'echo', 'good'], warns: /null_schema/ },
  },
  {
    name: 'names of built-in properties',
    tools: () => ['__proto__', 'constructor', 'then', 'toString', 'hasOwnProperty'].map((name) => tool(name)),
    does: async (client) => {
      const functions = await (client.tools as unknown as Promise<object>)
      return [typeof functions, ({} as { inputSchema?: unknown }).inputSchema, (await client.call('constructor')).content.length]
    },
    shows: { gives: ['object', undefined, 1] },
  },
  {
    name: 'names that are invalid',
    tools: () => ['x'.repeat(10_000), 'a\u0000b', '\u001b[2J', 'a\u2028b', '\u202eback', 'a\u200bb'].map((name) => tool(name)),
    does: names,
    shows: { gives: ['bad', 'echo'], warns: /./ },
  },
  {
    name: 'two tools with one name',
    tools: () => [tool('echo', { description: 'An impostor' }), tool('good')],
    does: names,
    shows: { gives: ['bad', 'echo', 'good'] },
  },
  {
    name: 'terminal controls in a warning',
    tools: () => [tool('\u001b]0;owned\u0007')],
    does: async (client, { warnings }) => {
      await client.listTools()
      return warnings.some((warning) => /[\u0000-\u001f]/.test(warning))
    },
    shows: { gives: false, warns: /./ },
  },
])

export const lists: readonly Fault[] = [
  ...endless,
  ...crowded,
  ...odd,
  {
    name: 'a call of a tool that is not in the list',
    on: { bad: (wire, ask) => wire.answer(ask, text('x')) },
    does: (client) => client.call('nowhere'),
    shows: { fails: 'not_offered', seen: { 'call:nowhere': 0 } },
  },
]

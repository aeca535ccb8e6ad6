import { type JsonObject, jsonSchema, server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { judged } from '../../official-schemas.js'
import { faults } from '../../reported-faults.js'
import { every } from '../../revisions.js'
import { call } from '../lines.js'

const marked = (header: unknown, more: object = { type: 'string' }) => ({ ...more, 'x-mcp-header': header }) as JsonObject
const offering = (schema: object) =>
  server({
    name: 'shop',
    version: '1',
    tools: { find: tool({ input: jsonSchema({ type: 'object', ...schema }), run: () => 'found' }) },
  })

it.each(every)('XHDR-001 at %s a header mark is in the published schema', async (revision) => {
  const input = z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) })
  const t = await judged(server({ name: 'shop', version: '1', tools: { find: tool({ input, run: () => 'found' }) } }), {
    revision,
  })
  const { tools } = (await t.request('tools/list')) as unknown as { tools: { inputSchema: { properties: object } }[] }
  expect(tools[0]?.inputSchema.properties).toEqual({ region: { type: 'string', 'x-mcp-header': 'Region' } })
})

describe('a header mark is refused at registration', () => {
  it.each(['', 'My Region', 'A:B', 'Région', 'R\t1', 'R\r\nX: 1', 7, null])('XHDR-002 if it is %j', (header) => {
    expect(() => offering({ properties: { region: marked(header) } })).toThrow('x-mcp-header')
  })

  it('XHDR-003 if another differs from it only in case', () => {
    const nested = { type: 'object', properties: { b: marked('REGION') } }
    expect(() => offering({ properties: { a: marked('Region'), nested } })).toThrow('used twice')
  })

  it.each(['number', 'array', 'object', 'null', undefined])('XHDR-004 if it is on the type %s', (type) => {
    expect(() => offering({ properties: { region: marked('Region', type ? { type } : {}) } })).toThrow('cannot be mirrored')
  })

  it.each<readonly [string, object]>([
    ['under items', { properties: { list: { type: 'array', items: marked('R') } } }],
    [
      'in an item’s properties',
      { properties: { list: { type: 'array', items: { type: 'object', properties: { a: marked('R') } } } } },
    ],
    ['under oneOf', { properties: { a: { oneOf: [marked('R')] } } }],
    ['under anyOf', { anyOf: [{ properties: { a: marked('R') } }] }],
    ['under allOf', { allOf: [{ properties: { a: marked('R') } }] }],
    ['under not', { not: { properties: { a: marked('R') } } }],
    ['under if', { if: { properties: { a: marked('R') } } }],
    ...['then', 'else'].map((branch) => [`under ${branch}`, { if: {}, [branch]: { properties: { a: marked('R') } } }] as const),
    ['behind a $ref', { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: marked('R') } }],
    ['at the root', marked('R', {})],
  ])('XHDR-005 if it is %s', (_, schema) => {
    expect(() => offering(schema)).toThrow('x-mcp-header may stand only')
  })
})

it.each(['string', 'integer', 'boolean'])('XHDR-004 a mark may be on the type %s', (type) => {
  expect(() => offering({ properties: { region: marked('Region', { type }) } })).not.toThrow()
})

it('XHDR-005 a mark may be on a nested property, and a property may have the name of the mark', () => {
  const where = { type: 'object', properties: { region: marked('Region'), 'x-mcp-header': { type: 'string' } } }
  expect(() => offering({ properties: { where } })).not.toThrow()
})

describe('a call at 2026-07-28', () => {
  const where = { type: 'object', properties: { floor: marked('Floor', { type: 'integer' }) } }
  const properties = {
    region: marked('Region', {}),
    urgent: marked('Urgent', { type: 'boolean' }),
    count: marked('Count', { type: 'integer' }),
    where,
  }
  const app = offering({ properties: { ...properties, region: marked('Region', { type: ['string', 'null'] }) } })
  const repeated = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'find' }

  async function codeOf(args: JsonObject | undefined, headers: Record<string, string>): Promise<unknown> {
    const answer = await call(app, 'find', args && { arguments: args }, { ...repeated, ...headers }).answer
    return (answer?.error as JsonObject | undefined)?.code ?? ((answer?.result as JsonObject).isError ? 'failed' : 'found')
  }

  it.each([
    ['plain text', { region: 'north' }, { 'Mcp-Param-Region': 'north' }],
    ['any case of the name', { region: 'north' }, { 'mcp-param-REGION': 'north' }],
    ['base64', { region: 'Türkiye ' }, { 'Mcp-Param-Region': '=?base64?VMO8cmtpeWUg?=' }],
    ['a byte order mark', { region: '\ufeffnorth' }, { 'Mcp-Param-Region': '=?base64?77u/bm9ydGg=?=' }],
    ['a boolean', { urgent: false }, { 'Mcp-Param-Urgent': 'false' }],
    ['a nested integer', { where: { floor: -3 } }, { 'Mcp-Param-Floor': '-3' }],
  ])('XHDR-016 accepts %s as the value that it encodes', async (_, args, headers) => {
    expect(await codeOf(args, headers)).toBe('found')
  })

  it.each([
    ['another case of the marker', '=?BASE64?bm9ydGg=?='],
    ['no end', '=?base64?bm9ydGg='],
    ['no beginning', 'base64?bm9ydGg=?='],
  ])('XHDR-016 compares a sentinel with %s literally', async (_, header) => {
    expect(await codeOf({ region: header }, { 'Mcp-Param-Region': header })).toBe('found')
    expect(await codeOf({ region: 'north' }, { 'Mcp-Param-Region': header })).toBe(-32020)
  })

  it.each([
    ['wrong padding', '=?base64?bm9ydGg?='],
    ['a wrong alphabet', '=?base64?bm9y_Gg=?='],
    ['bytes that are no text', '=?base64?/////w==?='],
    ['raw characters beyond ASCII', 'nörth'],
    ['a control character', 'no\u0007rth'],
    ['a blank beyond ASCII at its end', 'north\u00a0'],
    ['a blank beyond ASCII at its beginning', '\u00a0north'],
  ])('XHDR-017 refuses a header with %s', async (_, header) => {
    for (const region of [header, header.trim()]) expect(await codeOf({ region }, { 'Mcp-Param-Region': header })).toBe(-32020)
  })

  it('XHDR-018 refuses a value whose header is missing or different', async () => {
    expect(await codeOf({ region: 'north' }, {})).toBe(-32020)
    expect(await codeOf({ where: { floor: 1 } }, {})).toBe(-32020)
    expect(await codeOf({ region: 'north' }, { 'Mcp-Param-Region': 'south' })).toBe(-32020)
    expect(await codeOf({ region: 'north' }, { 'Mcp-Param-Region': 'North' })).toBe(-32020)
    expect(await codeOf({ region: 'north' }, { 'Mcp-Param-Region': '=?base64?77u/bm9ydGg=?=' })).toBe(-32020)
  })

  it.each([
    [undefined],
    [{}],
    [{ region: null }],
    [{ where: {} }],
  ])('XHDR-019 requires no header for the arguments %j', async (args) => {
    expect(await codeOf(args, {})).toBe('found')
  })

  it.each([
    [undefined, 'north'],
    [{}, 'north'],
    [{ region: null }, 'north'],
    [{ region: null }, 'null'],
    [{ region: null }, ''],
    [{ region: { a: 1 } }, 'north'],
  ])('refuses a header for an argument without a value: %j with %j', async (args, header) => {
    expect(await codeOf(args, { 'Mcp-Param-Region': header })).toBe(-32020)
  })

  it.each([
    [42, '42', 'found'],
    [42, '42.0', 'found'],
    [42, '+42x', -32020],
    [42, '43', -32020],
    [42, '', -32020],
    [0, '0.00', 'found'],
    [0, '-0', -32020],
    [1, '01', -32020],
    [1, '1e0', -32020],
    [2 ** 53, '9007199254740992.0', 'found'],
    [2 ** 53, '9007199254740993', -32020],
  ])('XHDR-020 compares the integer %d with %j as numbers', async (count, header, outcome) => {
    expect(await codeOf({ count }, { 'Mcp-Param-Count': header })).toBe(outcome)
  })

  it('XHDR-022 accepts an empty header for an empty text', async () => {
    expect(await codeOf({ region: '' }, { 'Mcp-Param-Region': '' })).toBe('found')
    expect(await codeOf({ region: '' }, {})).toBe(-32020)
  })

  it('XHDR-018 with a header mismatch is a bad request over HTTP', async () => {
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'find', arguments: { region: 'north' }, _meta: declared },
    }
    const headers = { ...repeated, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
    const response = await app.fetch(new Request('http://localhost/mcp', { method: 'POST', headers, body: JSON.stringify(body) }))
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: -32020 } })
  })
})

const declared = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }

it.each([
  'password',
  'token',
  'ssn',
  'apiKey',
  'card_number',
])('XHDR-025 a warning is printed if %s would be in a header', (name) => {
  offering({ properties: { [name]: marked('X') } })
  expect(faults).toContainEqual(
    expect.objectContaining({
      where: 'tool "find"',
      fault: expect.objectContaining({ name: 'Advice', message: expect.stringContaining(`${name} sounds secret`) }),
    }),
  )
})

it('XHDR-025 no warning is printed for a harmless parameter', () => {
  offering({ properties: { region: marked('Region') } })
  expect(JSON.stringify(faults.map(({ fault }) => String(fault)))).not.toContain('secret')
})

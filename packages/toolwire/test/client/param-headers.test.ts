// Arguments that are copied to headers. spec 2026-07-28, basic/transports/streamable-http#custom-headers-from-tool-parameters
import { describe, expect, it } from 'vitest'
import { InvalidArguments } from '../../src/client/index.js'
import type { JsonObject } from '../../src/json.js'
import { clientOf, type PostingServer, posting, type Word } from './posting-server.js'
import { connectScripted, Fails, plainTool, textResult, toolsPage } from './scripted.js'

const revision = '2026-07-28'
const mark = (header: string, type: string | string[] = 'string'): JsonObject => ({ type, 'x-mcp-header': header })
const taking = (properties: JsonObject, name = 'look'): JsonObject =>
  plainTool(name, { inputSchema: { type: 'object', properties } })
const mismatch = new Fails(-32_020, 'Header mismatch')

const look = taking({
  region: mark('Region'),
  count: mark('Count', ['integer', 'null']),
  deep: mark('Deep', 'boolean'),
  where: {
    type: 'object',
    properties: { city: mark('City'), zone: { type: 'object', properties: { id: mark('Zone', 'integer') } } },
  },
  plain: { type: 'string' },
})

async function calling(tools: JsonObject[], word: Word = textResult('seen')) {
  const server = await posting({ 'tools/list': toolsPage(tools), 'tools/call': word }, { revision, statusOfErrors: 400 })
  return { server, ...(await clientOf(server, revision)) }
}

const mirroredIn = (server: PostingServer): Record<string, string>[] =>
  server.posted('tools/call').map(({ headers }) => {
    const found = Object.entries(headers).filter(([name]) => name.startsWith('mcp-param-'))
    return Object.fromEntries(found.map(([name, value]) => [name.slice('mcp-param-'.length), String(value)]))
  })

/** The headers of a call with these arguments. */
async function mirrored(args: JsonObject): Promise<Record<string, string>> {
  const { server, client } = await calling([look])
  await client.call('look', args)
  await client.close()
  expect(server.posted('tools/call')[0]?.message.params.arguments).toEqual(args)
  return mirroredIn(server)[0]!
}

describe('a marked argument', () => {
  it('XHDR-009 is copied to its header, at any depth of the arguments', async () => {
    const args = { region: 'us-west1', where: { city: 'Oslo', zone: { id: 3 } }, plain: 'not this one' }
    expect(await mirrored(args)).toEqual({ region: 'us-west1', city: 'Oslo', zone: '3' })
    expect(await mirrored({ region: 'eu', city: 'not at its place' })).toEqual({ region: 'eu' })
  })

  it('XHDR-010 has no header if it is missing or null', async () => {
    expect(await mirrored({ count: null, region: 'eu' })).toEqual({ region: 'eu' })
    expect(await mirrored({ where: {} })).toEqual({})
  })

  it.each([
    [{ count: 42 }, { count: '42' }],
    [{ count: -7 }, { count: '-7' }],
    [{ count: 0 }, { count: '0' }],
    [{ count: 4_200_000_000_000_000 }, { count: '4200000000000000' }],
    [{ count: 2 ** 53 - 1 }, { count: '9007199254740991' }],
    [{ count: 1 - 2 ** 53 }, { count: '-9007199254740991' }],
    [{ deep: true }, { deep: 'true' }],
    [{ deep: false }, { deep: 'false' }],
    [{ region: 'a (b) "c", d=1' }, { region: 'a (b) "c", d=1' }],
  ])('XHDR-011 is copied unchanged: %j', async (args, headers) => {
    expect(await mirrored(args)).toEqual(headers)
  })

  it.each([
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['\ttab', '=?base64?CXRhYg==?='],
    ['tab\t', '=?base64?dGFiCQ==?='],
    ['\u007f', '=?base64?fw==?='],
    ['\ufeffmarked', '=?base64?77u/bWFya2Vk?='],
  ])('XHDR-012 is encoded if a header cannot hold it: %j', async (region, header) => {
    expect(await mirrored({ region })).toEqual({ region: header })
  })

  it.each([
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
    ['=?base64??=', '=?base64?PT9iYXNlNjQ/Pz0=?='],
    ['=?base64?half', '=?base64?half'],
    ['=?BASE64?other?=', '=?BASE64?other?='],
  ])('XHDR-013 is encoded if it looks like an encoded value: %j', async (region, header) => {
    expect(await mirrored({ region })).toEqual({ region: header })
  })

  it.each([
    'a\r\nX: y',
    'a\nX: y',
    'a\rX: y',
    'a\u0000b',
    '\r\n\r\nGET / HTTP/1.1',
  ])('XHDR-015 cannot inject another header: %j', async (region) => {
    const { server, client } = await calling([look])
    await client.call('look', { region })
    const [{ headers }] = server.posted('tools/call') as [ReturnType<typeof server.posted>[number]]
    expect(headers).not.toHaveProperty('x')
    expect(mirroredIn(server)).toEqual([{ region: `=?base64?${btoa(region)}?=` }])
    await client.close()
  })

  it.each([2 ** 53, -(2 ** 53), 1e21])('XHDR-021 is not sent if others would read another number: %d', async (count) => {
    const { server, client } = await calling([look])
    await expect(client.call('look', { count })).rejects.toThrow(InvalidArguments)
    expect(server.posted('tools/call')).toEqual([])
    await client.close()
  })
})

describe('XHDR-014 the name of a tool', () => {
  it.each([
    ['天気', '=?base64?5aSp5rCX?='],
    ['=?base64?x?=', '=?base64?PT9iYXNlNjQ/eD89?='],
    ['two words', 'two words'],
  ])('%s is encoded by the same rules', async (name, header) => {
    const { server, client } = await calling([plainTool(name)])
    await client.call(name)
    expect(server.posted('tools/call')[0]?.headers['mcp-name']).toBe(header)
    await client.close()
  })
})

describe('a tool with an invalid mark', () => {
  const bad: Record<string, JsonObject> = {
    'an empty name': { a: mark('') },
    'a name with a space': { a: mark('My Region') },
    'a name with a colon': { a: mark('Region:') },
    'a name with a line break': { a: mark('Region\r\nX') },
    'a name that is not ASCII': { a: mark('Région') },
    'a name that is no text': { a: { type: 'string', 'x-mcp-header': 7 } },
    'one name twice': { a: mark('Region'), b: mark('region') },
    'a number': { a: mark('Amount', 'number') },
    'a list': { a: mark('Tags', 'array') },
    'an object': { a: mark('Where', 'object') },
    'no type': { a: { 'x-mcp-header': 'Any' } },
    'a place inside a list': { a: { type: 'array', items: mark('Item') } },
    'a place inside a choice': { a: { oneOf: [mark('One')] } },
    'a place inside a condition': { a: { if: mark('If') } },
  }

  it.each(
    Object.entries(bad),
  )('XHDR-006 XHDR-007 is dropped with a warning, and the other tools stay: %s', async (_, properties) => {
    const { server, client, warnings } = await calling([plainTool('first'), taking(properties, 'bad'), plainTool('last')])
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['first', 'last'])
    await expect(client.call('bad', {})).rejects.toMatchObject({
      code: 'not_offered',
      message: expect.stringMatching(/x-mcp-header/),
    })
    expect(server.posted('tools/call')).toEqual([])
    expect(warnings).toEqual([expect.stringMatching(/"bad" was dropped: .*x-mcp-header/)])
    await client.call('last')
    expect(server.posted('tools/call')).toHaveLength(1)
    await client.close()
  })

  it.each(Object.values(bad))('XHDR-008 is kept on transports without headers: %j', async (properties) => {
    const script = { 'tools/list': toolsPage([taking(properties, 'bad')]), 'tools/call': textResult('hi') }
    const { client, warnings } = await connectScripted(script, { revision, shape: 'pipe' })
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['bad'])
    expect(await client.call('bad', {})).toMatchObject({ isError: false })
    expect(warnings).toEqual([])
  })

  it('XHDR-006 is kept in revisions without such headers', async () => {
    const server = await posting({ 'tools/list': toolsPage([taking(bad['an empty name']!)]) }, { revision: '2025-11-25' })
    const { client } = await clientOf(server, '2025-11-25')
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['look'])
    await client.close()
  })
})

describe('headers that differ from the body', () => {
  /** A server that lists the tool without its mark at first, and then refuses calls without the header. */
  async function changing(options: Parameters<typeof clientOf>[2] = {}) {
    const lists = [taking({ region: { type: 'string' } }), taking({ region: mark('Region') })]
    const server = await posting(
      {
        'tools/list': () => toolsPage([lists.length > 1 ? lists.shift()! : lists[0]!]),
        'tools/call': ({ headers }) => (headers['mcp-param-region'] === 'eu' ? textResult('seen') : mismatch),
      },
      { revision, statusOfErrors: 400 },
    )
    return { server, ...(await clientOf(server, revision, options)) }
  }

  it('XHDR-023 are rebuilt once from a reloaded list', async () => {
    const { server, client } = await changing()
    expect(await client.call('look', { region: 'eu' })).toMatchObject({ content: [{ text: 'seen' }] })
    expect(server.posted().map(({ message }) => message.method)).toEqual([
      'server/discover',
      'tools/list',
      'tools/call',
      'tools/list',
      'tools/call',
    ])
    expect(mirroredIn(server)).toEqual([{}, { region: 'eu' }])
    await client.close()
  })

  it('XHDR-023 are not rebuilt endlessly', async () => {
    const { server, client } = await calling([look], mismatch)
    await expect(client.call('look', { region: 'eu' })).rejects.toMatchObject({ name: 'RpcError', code: -32_020 })
    expect(server.posted('tools/call')).toHaveLength(2)
    await client.close()
  })

  it('XHDR-024 come from the latest known definition', async () => {
    const { server, client } = await changing()
    await client.listTools()
    await client.listTools({ fresh: true })
    await client.call('look', { region: 'eu' })
    expect(mirroredIn(server)).toEqual([{ region: 'eu' }])
    await client.close()
  })

  it('XHDR-024 are omitted for an unknown definition, until the server requires them', async () => {
    const server = await posting(
      {
        'tools/list': toolsPage([taking({ region: mark('Region') })]),
        'tools/call': ({ headers }) => (headers['mcp-param-region'] === 'eu' ? textResult('seen') : mismatch),
      },
      { revision, statusOfErrors: 400 },
    )
    const { client } = await clientOf(server, revision, { listFirst: false })
    expect(await client.call('look', { region: 'eu' })).toMatchObject({ content: [{ text: 'seen' }] })
    expect(server.posted().map(({ message }) => message.method)).toEqual([
      'server/discover',
      'tools/call',
      'tools/list',
      'tools/call',
    ])
    expect(mirroredIn(server)).toEqual([{}, { region: 'eu' }])
    await client.close()
  })
})

describe('headers of the caller for whom a call is made', () => {
  const given = [
    'Mcp-Param-Tenant',
    ' =?base64?w6k=?= x',
    'mcp-param-REGION',
    'us',
    'Authorization',
    'Bearer mine',
    'Mcp-Param-',
    'x',
  ]

  async function passedOn(tools: JsonObject[], paramHeaders: string[], spoken = revision) {
    const server = await posting({ 'tools/list': toolsPage(tools), 'tools/call': textResult('seen') }, { revision: spoken })
    const { client } = await clientOf(server, spoken)
    await client.call('look', { region: 'eu' }, { paramHeaders })
    await client.close()
    return server.posted('tools/call')[0]?.headers
  }

  it('are forwarded unchanged beside ours if the tool does not define them', async () => {
    const headers = await passedOn([look], given)
    expect(headers).toMatchObject({ 'mcp-param-tenant': '=?base64?w6k=?= x', 'mcp-param-region': 'eu' })
    expect(headers).not.toHaveProperty('authorization')
    expect(headers).not.toHaveProperty('mcp-param-')
    expect((await passedOn([plainTool('look')], given))?.['mcp-param-region']).toBe('us')
  })

  it('are dropped in revisions without such headers', async () => {
    expect(await passedOn([look], given, '2025-06-18')).not.toHaveProperty('mcp-param-tenant')
  })

  it('never add another header', async () => {
    const headers = await passedOn([look], ['Mcp-Param-A', 'a\r\nCookie: b', 'Mcp-Param-B: 1\r\nCookie', 'c', 'Mcp-Param-C', 'd'])
    expect(headers).toHaveProperty('mcp-param-c', 'd')
    expect(headers).not.toHaveProperty('cookie')
    expect(headers).not.toHaveProperty('mcp-param-a')
  })
})

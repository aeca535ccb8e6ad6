import { ask, type Content, prompt, Reply, reply, resource, server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Json, JsonObject } from '../../src/json.js'
import { metaKeys } from '../../src/revisions/meta-keys.js'
import { checkMetaKeys } from '../../src/tools/checks/meta-keys.js'
import { judged } from '../official-schemas.js'
import { since } from '../revisions.js'
import { Pipe, said, speaking } from './pipe.js'

const withMeta = since('2025-06-18')
const who = ask('Who?', z.object({ name: z.string() }))

/** A tool that records the `_meta` of its calls. */
function keeping() {
  const kept: JsonObject[] = []
  const keep = tool({
    description: 'Keeps _meta',
    run: (_, ctx) => {
      kept.push(ctx.meta)
      return 'kept'
    },
  })
  const greet = tool({ description: 'Greets', asks: { who }, run: (_, ctx) => `Hello ${ctx.answers.who.name}` })
  return { kept, app: server({ name: 'keeper', version: '1.0.0', tools: { keep, greet } }) }
}

describe('The metadata of a request in 2026-07-28', () => {
  it.each([
    ['no version', 'protocolVersion', undefined],
    ['a version that is no string', 'protocolVersion', 1],
    ['no capabilities', 'clientCapabilities', undefined],
    ['capabilities that are no object', 'clientCapabilities', []],
    ['a client that is no object', 'clientInfo', 'me'],
  ] as const)('META-003 has %s: the request is refused, and no tool runs', async (_, key, value) => {
    const { app, kept } = keeping()
    const pipe = new Pipe(app)
    const { [metaKeys[key]]: _said, ...rest } = said()._meta
    const reply = await pipe.ask('tools/call', {
      name: 'keep',
      _meta: { ...rest, ...(value !== undefined && { [metaKeys[key]]: value as Json }) },
    })
    expect(reply.error).toMatchObject({ code: -32602, message: expect.stringContaining(metaKeys[key]) })
    expect(kept).toEqual([])
  })

  it('META-003 is missing: the request is refused, and no tool runs', async () => {
    const { app, kept } = keeping()
    for (const params of [{ name: 'keep' }, { name: 'keep', _meta: {} }, { name: 'keep', _meta: null }]) {
      expect((await new Pipe(app).ask('tools/call', params)).error).toMatchObject({ code: -32602 })
    }
    expect(kept).toEqual([])
  })

  it('META-004 applies to its own request, and to no later one', async () => {
    const pipe = new Pipe(keeping().app)
    const able = said({ elicitation: { form: {} } })
    expect((await pipe.ask('tools/call', { name: 'greet', ...able })).result).toMatchObject({ resultType: 'input_required' })
    expect((await pipe.ask('tools/call', { name: 'greet', ...said() })).error).toMatchObject({ code: -32021 })
    expect((await pipe.ask('tools/call', { name: 'greet' })).error).toMatchObject({ code: -32602 })
  })

  it('META-006 names the client, and no response depends on the name', async () => {
    const run = async (clientInfo: JsonObject | undefined) => {
      const { app } = keeping()
      const pipe = new Pipe(app)
      const { [metaKeys.clientInfo]: _, ...anonymous } = said()._meta
      const _meta = clientInfo ? { ...anonymous, [metaKeys.clientInfo]: clientInfo } : anonymous
      for (const [method, params] of [
        ['server/discover', {}],
        ['tools/list', {}],
        ['tools/call', { name: 'keep' }],
        ['tools/call', { name: 'no' }],
      ] as const) {
        await pipe.ask(method, { ...params, _meta })
      }
      return pipe.texts
    }
    const plain = await run(undefined)
    expect(await run({ name: 'admin', version: '99.0.0' })).toEqual(plain)
    expect(await run({ name: 'keeper', version: '1.0.0', title: 'root', extra: { trusted: true } })).toEqual(plain)
  })

  it('META-011 may contain a trace context for the handler, and an invalid one is harmless', async () => {
    const { app, kept } = keeping()
    const { pipe } = await speaking(app, '2026-07-28')
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await pipe.ask('tools/call', { name: 'keep', ...said({}, { traceparent, tracestate: 'a=1', baggage: 'k=v' }) })
    expect(kept[0]).toMatchObject({ traceparent, tracestate: 'a=1', baggage: 'k=v' })
    for (const malformed of ['nonsense', 7, null, {}]) {
      const { result } = await pipe.ask('tools/call', {
        name: 'keep',
        ...said({}, { traceparent: malformed, baggage: malformed }),
      })
      expect(result).toMatchObject({ isError: false })
    }
  })
})

it('META-005 each result names the server, unless disabled', async () => {
  const asks: readonly [string, JsonObject][] = [
    ['server/discover', {}],
    ['tools/list', {}],
    ['tools/call', { name: 'keep' }],
  ]
  const options = {
    name: 'keeper',
    version: '1.0.0',
    tools: { keep: tool({ description: 'Keeps', run: () => reply.text('kept').withMeta({ 'com.example/a': 1 }) }) },
  }
  const named = await speaking(server(options), '2026-07-28')
  const nameless = await speaking(server({ ...options, anonymousResults: true }), '2026-07-28')
  for (const [method, params] of asks) {
    expect((await named.ask(method, params)).result?._meta).toMatchObject({
      [metaKeys.serverInfo]: { name: 'keeper', version: '1.0.0' },
    })
    expect((await nameless.ask(method, params)).result?._meta ?? {}).not.toHaveProperty([metaKeys.serverInfo])
  }
})

const wellFormed = [
  'a.b/c',
  'com.example/x',
  'com.example/x.y-z_1',
  'com.example.mcp/x',
  'c/x',
  'a-b.c9/x',
  'plain',
  'com.example/',
]
const malformed = ['1a/c', 'a-/c', '-a/c', 'a..b/c', '.a/c', 'a./c', '/c', 'a/_c', 'a/c-', 'a/b/c', 'a b/c', '_c', 'é/c']
const laterKept = ['com.mcp.tools/x', 'io.modelcontextprotocol/x', 'com.mcp/x', 'dev.mcp.a.b/x']
const earlierKept = [
  'mcp.dev/x',
  'api.modelcontextprotocol.org/x',
  'modelcontextprotocol.io/x',
  'tools.mcp.com/x',
  'a.b.c.mcp.d/x',
]

/** Every place where a developer can set `_meta`. */
const places: readonly (readonly [string, (_meta: JsonObject) => unknown])[] = [
  ['a tool', (_meta) => server({ name: 's', version: '1', tools: { t: tool({ description: 'd', _meta, run: () => '' }) } })],
  ['a resource', (_meta) => resource({ uri: 'a:b', _meta, read: () => '' })],
  ['a prompt', (_meta) => prompt({ _meta, run: () => '' })],
  ['a reply', (_meta) => reply.text('').withMeta(_meta)],
  ['a block', (_meta) => reply.text('', { _meta })],
  ['a link', (_meta) => reply.link({ uri: 'a:b', name: 'b', _meta })],
  ['the contents of a resource', (_meta) => reply.resource({ uri: 'a:b', text: '', _meta })],
]

describe.each(places)('A key of _meta on %s', (_, define) => {
  it.each(wellFormed)('META-007 may be "%s"', (key) => {
    expect(() => define({ [key]: 1 })).not.toThrow()
  })

  it.each(malformed)('META-007 may not be "%s", which is malformed', (key) => {
    expect(() => define({ [key]: 1 })).toThrow(/is not a valid key for _meta/)
  })

  it.each(laterKept)('META-008 may not be "%s", which 2025-11-25 and 2026-07-28 reserve', (key) => {
    expect(() => define({ [key]: 1 })).toThrow(/reserved for the protocol/)
  })

  it.each(earlierKept)('META-009 may not be "%s", which 2025-06-18 reserves', (key) => {
    expect(() => define({ [key]: 1 })).toThrow(/reserved for the protocol/)
  })

  it.each([
    [
      'traceparent',
      '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      '00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01',
    ],
    [
      'traceparent',
      '01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00',
      '00-00000000000000000000000000000000-b7ad6b7169203331-01',
    ],
    ['tracestate', 'rojo=00f067aa0ba902b7,congo@x=t61rcWkgMzE', 'no equals sign'],
    ['baggage', 'userId=alice;private=1, server=eu%201', 'two words'],
  ])('META-011 may be %s with a value as defined by W3C', (key, value, wrong) => {
    expect(() => define({ [key]: value })).not.toThrow()
    expect(() => define({ [key]: wrong })).toThrow(/W3C/)
    expect(() => define({ [key]: 1 })).toThrow(/W3C/)
  })
})

it('META-007 META-008 META-009 the library uses only its own keys', () => {
  const own = Object.values(metaKeys).filter((key) => !key.startsWith('io.modelcontextprotocol/'))
  expect(own).toEqual(['dev.toolwire/question', 'dev.toolwire/structured'])
  for (const key of [...own, 'dev.toolwire/dropped']) expect(() => checkMetaKeys({ [key]: 1 })).not.toThrow()
})

describe.each(withMeta)('In %s', (revision) => {
  it('META-010 unknown reserved keys are ignored', async () => {
    const { app, kept } = keeping()
    await using t = await judged(app, { revision, lenient: true })
    for (const odd of [null, 0, '', [], [[null]], { deep: { er: [1] } }]) {
      const strange = { 'io.modelcontextprotocol/unheard-of': odd, 'com.mcp.x/y': odd, 'org.modelcontextprotocol.z/': odd }
      expect(await t.call('keep', {}, { meta: strange })).toMatchObject({ isError: false })
      expect(await t.request('tools/list', { _meta: strange })).toMatchObject({ tools: [{ name: 'keep' }, { name: 'greet' }] })
    }
    expect(kept.at(-1)).toMatchObject({ 'com.mcp.x/y': { deep: { er: [1] } } })
  })

  it('META-013 _meta from elsewhere is passed on unchanged, on tools, blocks and results', async () => {
    const theirs = { 'io.modelcontextprotocol/related-task': { taskId: '1' }, 'com.other/x': [1, { y: null }] }
    const block: Content = { type: 'text', text: 'relayed', _meta: theirs }
    const own = { 'com.example/card': { theme: 'dark', sizes: [1, 2.5] } }
    const relay = tool({ description: 'Relays', _meta: own, run: () => new Reply({ content: [block], meta: theirs }) })
    await using t = await judged(server({ name: 'relay', version: '1.0.0', tools: { relay } }), { revision })
    for (let reading = 0; reading < 2; reading++) {
      const { tools } = (await t.request('tools/list')) as { tools: JsonObject[] }
      expect(JSON.stringify(tools[0]?._meta)).toBe(JSON.stringify(own))
    }
    const result = await t.call('relay')
    expect(JSON.stringify(result.content[0])).toBe(JSON.stringify(block))
    expect(result._meta).toMatchObject(theirs)
  })
})

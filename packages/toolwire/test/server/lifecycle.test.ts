import { ask, reply, server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../../src/json.js'
import { Conversation } from '../../src/peer/conversation.js'
import { metaKeys } from '../../src/revisions/meta-keys.js'
import { localUser } from '../../src/tools/caller.js'
import { complaints, judged } from '../official-schemas.js'
import { until } from '../revisions.js'
import { clientInfo, Pipe, said, speaking } from './pipe.js'
import { overHttp } from './post.js'

const legacy = until('2025-11-25')

const hello = tool({ description: 'Says hello', run: () => 'hello' })
const about = {
  name: 'shop',
  version: '1.0.0',
  title: 'A shop',
  description: 'Sells',
  websiteUrl: 'https://example.com',
  icons: [{ src: 'https://example.com/i.png' }],
}
const shop = (more: JsonObject = {}) => server({ ...about, tools: { hello }, ...more })
const opening = (protocolVersion: string) => ({ protocolVersion, capabilities: {}, clientInfo })

describe.each(legacy)('A connection in %s', (revision) => {
  it('LIFE-002 LIFE-008 is opened with the requested version, the capabilities of the server and its info', async () => {
    const reply = await new Pipe(shop()).ask('initialize', opening(revision))
    expect(complaints(revision, reply, 'initialize')).toEqual([])
    expect(reply.result).toMatchObject({
      protocolVersion: revision,
      capabilities: { tools: {} },
      serverInfo: { name: 'shop', version: '1.0.0' },
    })
  })

  it('keeps only the name and the capabilities of a client with a long description', async () => {
    const icons = [{ src: `data:,${'x'.repeat(100_000)}` }]
    const openedWith = async (client: JsonObject, capabilities: JsonObject = {}) => {
      const conversation = new Conversation(localUser)
      const params = { protocolVersion: revision, capabilities, clientInfo: client }
      const reply = { send: () => {}, header: undefined, hangUp: undefined, twoWay: true }
      const request = { jsonrpc: '2.0', id: 1, method: 'initialize', params } as const
      await shop()['~application'].receive({ kind: 'request', request }, conversation, reply)
      return conversation.peerInfo
    }
    expect(await openedWith({ ...clientInfo, icons }, { experimental: { icons }, elicitation: {} })).toEqual({
      revision: expect.anything(),
      clientInfo,
      capabilities: { elicitation: {} },
      logLevel: undefined,
    })
    expect((await openedWith(clientInfo, { sampling: { icons } }))?.capabilities).toEqual({})
    expect((await openedWith({ ...clientInfo, name: 'x'.repeat(3_000) }))?.clientInfo).toBeUndefined()
    expect(await openedWith({ ...clientInfo, icons: [] }, { roots: {} })).toMatchObject({
      clientInfo: { ...clientInfo, icons: [] },
      capabilities: { roots: {} },
    })
  })

  it('LIFE-005 carries no server requests before the initialized notification', async () => {
    const app = shop()
    const pipe = new Pipe(app)
    const ready = new Pipe(app)
    await ready.open(revision)
    app.tools.add('early', hello)
    await expect.poll(() => ready.texts).toHaveLength(2)
    await pipe.ask('initialize', opening(revision))
    app.tools.add('during', hello)
    await expect.poll(() => ready.texts).toHaveLength(3)
    expect(pipe.texts.length).toBe(1)
    pipe.notify('notifications/initialized')
    const [changed] = await Promise.all([
      pipe.say({ jsonrpc: '2.0', method: 'notifications/none' }),
      app.tools.add('late', hello),
    ])
    expect(changed).toMatchObject({ method: 'notifications/tools/list_changed' })
  })

  it.each([
    'tools/list',
    'tools/call',
    'logging/setLevel',
  ])('LIFE-006 refuses %s before it is opened, and can still be opened afterwards', async (method) => {
    const pipe = new Pipe(shop({ logging: true }))
    expect((await pipe.ask(method, { name: 'hello', level: 'info' })).error?.code).toBeOneOf([-32600, -32602])
    pipe.notify('notifications/initialized')
    expect((await pipe.ask(method, { name: 'hello', level: 'info' })).error?.code).toBeOneOf([-32600, -32602])
    expect((await pipe.open(revision)).result).toMatchObject({ protocolVersion: revision })
    expect((await pipe.ask(method, { name: 'hello', level: 'info' })).result).toBeDefined()
  })

  it('LIFE-013 is opened with instructions for the model, if configured', async () => {
    const opened = (app: ReturnType<typeof shop>) => new Pipe(app).ask('initialize', opening(revision))
    expect((await opened(shop({ instructions: 'Say hello first' }))).result?.instructions).toBe('Say hello first')
    expect((await opened(shop())).result).not.toHaveProperty('instructions')
  })

  it('LIFE-014 cannot be opened again, and continues unchanged', async () => {
    const { pipe, ask } = await speaking(shop(), revision)
    const before = await ask('tools/list')
    const other = revision === '2024-11-05' ? '2025-11-25' : '2024-11-05'
    expect((await pipe.ask('initialize', opening(other))).error).toMatchObject({ code: -32600 })
    expect((await ask('tools/list')).result).toEqual(before.result)
  })

  it('PING-001 answers a ping with an empty result, before it is opened and during a call', async () => {
    let release = () => {}
    const wait = tool({ description: 'Waits', run: () => new Promise<string>((resolve) => (release = () => resolve('waited'))) })
    const pipe = new Pipe(server({ name: 's', version: '1', tools: { wait } }))
    expect((await pipe.ask('ping')).result).toEqual({})
    await pipe.open(revision)
    pipe.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait' } })
    expect((await pipe.ask('ping')).result).toEqual({})
    release()
    expect(await pipe.say({ jsonrpc: '2.0', method: 'notifications/none' })).toMatchObject({ id: 1, result: {} })
  })
})

describe('The negotiated version', () => {
  it.each([
    '1999-01-01',
    '2099-01-01',
    '2026-07-28',
    'latest',
    '',
  ])('LIFE-009 is the latest one with a handshake if "%s" is requested', async (asked) => {
    const { result } = await new Pipe(shop()).ask('initialize', opening(asked))
    expect(result?.protocolVersion).toBe('2025-11-25')
  })

  it('LIFE-009 is the latest of the enabled ones', async () => {
    const pipe = new Pipe(shop({ revisions: ['2024-11-05', '2025-03-26', '2026-07-28'] }))
    expect((await pipe.ask('initialize', opening('2025-11-25'))).result?.protocolVersion).toBe('2025-03-26')
  })

  it.each([
    ['2024-11-05', ['name', 'version']],
    ['2025-03-26', ['name', 'version']],
    ['2025-06-18', ['name', 'title', 'version']],
    ['2025-11-25', ['description', 'icons', 'name', 'title', 'version', 'websiteUrl']],
  ])('LIFE-015 %s determines the description of the server: %j', async (revision, fields) => {
    const { result } = await new Pipe(shop()).ask('initialize', opening(revision))
    expect(Object.keys(result?.serverInfo as object).sort()).toEqual(fields)
  })
})

const full = {
  title: 'Speaks',
  description: 'Speaks',
  hints: { readOnly: true },
  icons: [{ src: 'https://example.com/i.png' }],
  _meta: { 'com.example/a': 1 },
}
const speak = tool({
  ...full,
  run: () =>
    reply.content(
      reply.audio('AAAA', 'audio/wav', { annotations: { priority: 1, lastModified: '2025-01-01T00:00:00Z' } }),
      reply.link({ uri: 'a:b', name: 'b' }),
    ),
})
const count = tool({ ...full, output: z.object({ n: z.number() }), run: () => ({ n: 1 }) })

describe('The content of messages', () => {
  it.each([
    ['2024-11-05', ['resource', 'text'], ['description', 'inputSchema', 'name']],
    ['2025-03-26', ['audio', 'text'], ['annotations', 'description', 'inputSchema', 'name']],
  ])('LIFE-011 is limited in %s to the members of the revision', async (revision, blocks, fields) => {
    await using t = await judged(server({ name: 's', version: '1', tools: { speak, count } }), { revision })
    const { tools } = (await t.request('tools/list')) as { tools: JsonObject[] }
    for (const listed of tools) expect(Object.keys(listed).sort()).toEqual(fields)
    const { content } = await t.call('speak')
    expect(content.map(({ type }) => type)).toEqual(blocks)
    expect(JSON.stringify(content)).not.toContain('lastModified')
    expect(await t.call('count')).not.toHaveProperty('structuredContent')
  })

  it.each(['2025-06-18', '2025-11-25'])('LIFE-012 is limited in %s to the capabilities of the client', async (revision) => {
    const asks = [
      tool({ description: 'Asks', run: (_, ctx) => ctx.ask('f', 'Form?', z.object({ a: z.string() })).then(({ a }) => a) }),
      tool({ description: 'Asks', run: (_, ctx) => ctx.ask.url('u', 'Page?', 'https://example.com').then(String) }),
      tool({
        description: 'Asks',
        run: (_, ctx) => ctx.ask.model('m', { messages: [], maxTokens: 1 }).then(({ model }) => model),
      }),
      tool({ description: 'Asks', run: (_, ctx) => ctx.ask.roots('r').then(String) }),
      tool({ description: 'Asks', asks: { a: ask('A?', z.object({ a: z.string() })) }, run: () => '' }),
      tool({ description: 'Logs', run: (_, ctx) => `${ctx.log.error('something')}` }),
    ]
    const app = server({ name: 's', version: '1', tools: Object.fromEntries(asks.map((one, at) => [`t${at}`, one])) })
    await using t = await judged(app, { revision, capabilities: {} })
    const results = await Promise.all(asks.map((_, at) => t.call(`t${at}`)))
    expect(results.map(({ isError }) => isError)).toEqual([true, true, true, true, true, false])
    expect(t.heard()).toEqual([])
  })
})

describe('In 2026-07-28', () => {
  it('PING-004 ping is an unknown method', async () => {
    expect((await new Pipe(shop()).ask('ping', said())).error).toMatchObject({ code: -32601 })
    await overHttp(shop(), async (post) => {
      const answer = await post({ jsonrpc: '2.0', id: 1, method: 'ping', params: said() })
      expect([answer.status, answer.body.error?.code]).toEqual([404, -32601])
    })
  })

  it('LIFE-015 every result has the complete description of the server', async () => {
    const { result } = await new Pipe(shop()).ask('tools/list', said())
    expect(result?._meta).toEqual({ [metaKeys.serverInfo]: about })
  })
})

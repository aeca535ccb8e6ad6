import { readFileSync } from 'node:fs'
import { ask, server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../../src/json.js'
import { metaKeys } from '../../src/revisions/meta-keys.js'
import { judged } from '../official-schemas.js'
import { every } from '../revisions.js'
import { clientInfo, Pipe, said } from './pipe.js'
import { mirrored, overHttp } from './post.js'

const log = tool({ description: 'Logs', run: (_, ctx) => `${ctx.log.error('something')}` })
const greet = tool({ description: 'Greets', asks: { who: ask('Who?', z.object({ name: z.string() })) }, run: () => 'hello' })
const hello = tool({ description: 'Says hello', run: () => 'hello' })
const slow = tool({ description: 'Takes long', longRunning: 'required', run: () => 'done' })

const shop = (more: { revisions?: readonly string[]; logging?: boolean } = {}) =>
  server({ name: 'shop', version: '1.0.0', tools: { log, greet, hello, slow }, ...more })
const opening = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
const inVersion = (version: string) => ({ _meta: { ...said()._meta, [metaKeys.protocolVersion]: version } })
const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

describe('A per-request message', () => {
  it.each([
    ['is not known', '2099-01-01', undefined],
    ['has a handshake', '2025-11-25', undefined],
    ['is switched off', '2026-07-28', ['2025-11-25', '2025-06-18']],
  ])('VER-001 is refused if its version %s, and the next one is accepted', async (_, version, revisions) => {
    const pipe = new Pipe(shop(revisions && { revisions }))
    expect((await pipe.ask('tools/list', inVersion(version))).error).toMatchObject({ code: -32022, data: { requested: version } })
    const good = revisions ? await pipe.open('2025-11-25') : await pipe.ask('tools/list', said())
    expect(good.result).toBeDefined()
  })

  const older = every.filter((version) => version !== '2026-07-28')

  it.each<[string, readonly string[]]>([
    ['all of them', [...older].reverse()],
    ...older.map((version): [string, readonly string[]] => [version, [version]]),
  ])('VER-001 ERRC-010 SHTTP-041 is a bad request if only older revisions are served: %s', async (_, revisions) => {
    for (const sessionless of [false, true])
      await overHttp(
        shop({ revisions }),
        async (post) => {
          for (const method of ['tools/list', 'server/discover', 'tools/call']) {
            const { status, body } = await post({ jsonrpc: '2.0', id: 1, method, params: { name: 'hello', ...said() } })
            expect([method, status]).toEqual([method, 400])
            expect(body).toMatchObject({
              id: 1,
              error: { code: -32022, data: { supported: revisions, requested: '2026-07-28' } },
            })
          }
          // The next request, in a served revision, is accepted.
          const next = await post({ jsonrpc: '2.0', id: 2, method: 'initialize', params: opening }, {})
          expect([next.status, next.body.error]).toEqual([200, undefined])
        },
        { sessionless },
      )
  })

  it.each([
    ['all revisions', every],
    ['the older ones', older],
  ])('SHTTP-041 with another version in its header is a bad request, if %s are served', async (_, revisions) => {
    for (const sessionless of [false, true])
      await overHttp(
        shop({ revisions }),
        async (post) => {
          for (const message of [
            { id: 1, method: 'tools/list' },
            { id: 1, method: 'initialize', params: opening },
            { method: 'notifications/initialized' },
            { method: 'notifications/cancelled', params: { requestId: 1 } },
            { id: 1, result: {} },
          ]) {
            const { status } = await post({ jsonrpc: '2.0', ...message }, { 'mcp-protocol-version': '1.0' })
            expect([message, status]).toEqual([message, 400])
          }
        },
        { sessionless },
      )
  })

  it.each([
    ['all', every],
    ['only the newest', ['2026-07-28']],
  ])('VER-008 cannot initialize if %s are served', async (_, revisions) => {
    const app = shop({ revisions })
    expect((await new Pipe(app).ask('initialize', { ...opening, ...said() })).error).toMatchObject({ code: -32601 })
    await overHttp(app, async (post) => {
      const { status, body, headers } = await post({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { ...opening, ...said() },
      })
      expect([status, body.error?.code, headers.get('mcp-session-id')]).toEqual([404, -32601, null])
    })
  })
})

describe('A server', () => {
  it('VER-009 without a handshake answers one with its versions', async () => {
    const { error } = await new Pipe(shop({ revisions: ['2026-07-28'] })).ask('initialize', opening)
    expect(error).toMatchObject({ data: { supported: ['2026-07-28'] }, message: expect.stringContaining('2026-07-28') })
  })

  it.each([
    [undefined, [...every].reverse()],
    [
      ['2025-03-26', '2026-07-28', '2024-11-05'],
      ['2026-07-28', '2025-03-26', '2024-11-05'],
    ],
  ])('VER-012 with %j lists its versions, latest first, on discovery and on refusal', async (revisions, expected) => {
    const pipe = new Pipe(shop(revisions && { revisions }))
    expect((await pipe.ask('server/discover', said())).result?.supportedVersions).toEqual(expected)
    expect((await pipe.ask('tools/list', inVersion('1999-01-01'))).error?.data).toMatchObject({ supported: expected })
  })

  const declare = (name: string) => server({ name: 's', version: '1', extensions: { [name]: {} } })

  it.each([
    'tasks',
    '/tasks',
    '1x.com/tasks',
    'com..example/x',
    'com.example/_x',
    'com.example/x/y',
    '',
  ])('VER-014 may not declare the extension "%s"', (id) => {
    expect(() => declare(id)).toThrow(/needs a prefix/)
  })

  it('VER-014 declares an extension under its prefixed name', async () => {
    const { result } = await new Pipe(declare('com.example/tasks')).ask('server/discover', said())
    expect(result?.capabilities).toMatchObject({ extensions: { 'com.example/tasks': {} } })
  })

  it('VER-015 refuses a tool that needs an extension of the client, and serves the others', async () => {
    const pipe = new Pipe(shop())
    const call = (name: string, capabilities: JsonObject = {}) => pipe.ask('tools/call', { name, ...said(capabilities) })
    expect((await call('slow')).error).toMatchObject({ code: -32021, data: { requiredCapabilities: tasks } })
    expect((await call('hello')).result).toMatchObject({ resultType: 'complete' })
    expect((await call('hello', { extensions: { 'com.unheard/of': {} } })).result).toMatchObject({ resultType: 'complete' })
    expect((await call('slow', tasks)).result).toMatchObject({ resultType: 'task' })
    expect((await pipe.ask('tasks/list', said(tasks))).error).toMatchObject({ code: -32601 })
  })
})

describe('One pipe with both styles', () => {
  it('VER-010 serves a session and per-request messages, side by side', async () => {
    const pipe = new Pipe(shop())
    expect((await pipe.ask('tools/list', said())).result).toMatchObject({ resultType: 'complete' })
    expect((await pipe.open('2025-03-26')).result).toMatchObject({ protocolVersion: '2025-03-26' })
    expect((await pipe.ask('tools/list')).result).not.toHaveProperty('resultType')
    expect((await pipe.ask('tools/list', said())).result).toMatchObject({ resultType: 'complete', ttlMs: 0 })
    expect((await pipe.ask('ping')).result).toEqual({})
    expect((await pipe.ask('ping', said())).error).toMatchObject({ code: -32601 })
  })

  it('VER-011 keeps per-request messages independent of the session', async () => {
    const pipe = new Pipe(shop({ logging: true }))
    await pipe.open('2025-11-25', { elicitation: {} })
    await pipe.ask('logging/setLevel', { level: 'debug' })
    await pipe.ask('tools/call', { name: 'log' })
    expect(pipe.texts.join()).toContain('notifications/message')
    const before = pipe.texts.length
    expect((await pipe.ask('tools/call', { name: 'log', ...said() })).result).toBeDefined()
    expect(pipe.texts.slice(before).join()).not.toContain('notifications/message')
    expect((await pipe.ask('tools/call', { name: 'greet', ...said() })).error).toMatchObject({ code: -32021 })
    const asked = await pipe.say({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'greet' } })
    expect(asked.method).toBe('elicitation/create')
  })
})

it('VER-010 VER-011 one HTTP endpoint serves both styles, and keeps them apart', async () => {
  await overHttp(shop({ logging: true }), async (post) => {
    const opened = await post(
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: { ...opening, capabilities: { elicitation: {} } } },
      {},
    )
    const session = { 'mcp-session-id': String(opened.headers.get('mcp-session-id')), 'mcp-protocol-version': '2025-11-25' }
    await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session)
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
    expect((await post(list, session)).body.result).not.toHaveProperty('resultType')
    const modern = { ...list, params: said() }
    expect((await post(modern)).body.result).toMatchObject({ resultType: 'complete' })
    const call = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'greet', ...said() } }
    expect((await post(call, { ...mirrored(call), 'mcp-session-id': session['mcp-session-id'] })).body.error).toMatchObject({
      code: -32021,
    })
    expect((await post(list, session)).body.result).not.toHaveProperty('resultType')
  })
})

describe('A deprecated feature', () => {
  it.each(every)('VER-016 is disabled by default, in %s', async (revision) => {
    await using t = await judged(shop(), { revision, lenient: true })
    await t.call('log', {}, { meta: revision === '2026-07-28' ? { [metaKeys.logLevel]: 'debug' } : {} })
    expect(t.heard()).toEqual([])
    expect(JSON.stringify(t.frames[1])).not.toContain('"logging"')
    await expect(t.request('logging/setLevel', { level: 'debug' })).rejects.toMatchObject({ code: -32601 })
  })

  it('VER-016 is not served over the old HTTP endpoints by default', async () => {
    const { listen } = await import('toolwire/node')
    const listening = await listen(shop(), { signals: false })
    const { status } = await fetch(listening.url.replace('/mcp', '/sse'), { headers: { accept: 'text/event-stream' } })
    await listening.close()
    expect(status).toBe(404)
  })

  it.each([
    ['tools/ask.ts', 'ask.model ='],
    ['tools/ask.ts', 'ask.roots ='],
    ['tools/context.ts', 'readonly log: Log'],
    ['tools/context.ts', '  model('],
    ['tools/context.ts', '  roots('],
    ['server/options.ts', '  logging?'],
  ])('VER-016 is marked as deprecated in %s before "%s"', (file, member) => {
    const text = readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8')
    const [before = ''] = text.split(member)
    expect(text).toContain(member)
    expect(before.slice(before.lastIndexOf('/**'))).toContain('@deprecated')
  })
})

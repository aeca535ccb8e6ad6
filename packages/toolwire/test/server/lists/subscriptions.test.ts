import { type Context, resource, server, tool } from 'toolwire'
import { describe, expect, it, vi } from 'vitest'
import type { JsonObject } from '../../../src/json.js'
import type { Request } from '../../../src/jsonrpc/message.js'
import { Conversation } from '../../../src/peer/conversation.js'
import type { App } from '../../../src/server/app.js'
import '../../reported-faults.js'
import { localUser } from '../../../src/tools/caller.js'
import { judged } from '../../official-schemas.js'
import { post } from '../lines.js'
import { Pipe, said } from '../pipe.js'

const tag = 'io.modelcontextprotocol/subscriptionId'
const acknowledged = 'notifications/subscriptions/acknowledged'
const quiet = tool({ description: 'Quiet', run: () => 'x' })
const note = resource({ uri: 'note://1', read: () => 'x' })
const secret = resource({ uri: 'secret://1', scopes: ['spy'], read: () => 'x' })
const made = (options: object = {}) =>
  server({ name: 'a', version: '1', tools: { quiet }, resources: { note, secret }, ...options })
type Made = ReturnType<typeof made>

const all = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
const open = (app: Made) => (app['~application'] as App).changes.subscriptions.size

/** A pipe with one subscription. */
async function listening(app: Made, notifications: JsonObject, { id = 1 as number | string, caller = {} } = {}) {
  const pipe = new Pipe(app, caller)
  const first = await pipe.say({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params: { notifications, ...said() } })
  return { pipe, first, received: () => pipe.replies.slice(1) }
}

describe('A subscription', () => {
  it('SUBS-002 begins with its acknowledgement, even if something changes during setup', async () => {
    const app = made()
    const pipe = new Pipe(app)
    pipe.send({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { notifications: all, ...said() } })
    app.tools.add('during', quiet)
    app.resources.updated('note://1')
    await expect.poll(() => pipe.replies.map(({ method }) => method)).toEqual([acknowledged, 'notifications/tools/list_changed'])
  })

  it('SUBS-003 is acknowledged with the granted and the refused parts', async () => {
    const { first } = await listening(made(), { ...all, resourceSubscriptions: ['note://1', 'nobody://1'], weather: true })
    expect(first).toMatchObject({ method: acknowledged })
    expect(first.params?.notifications).toEqual({
      toolsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['note://1'],
    })
    const toolsOnly = server({ name: 'a', version: '1', tools: { quiet } }) as Made
    expect((await listening(toolsOnly, all)).first.params?.notifications).toEqual({ toolsListChanged: true })
    expect((await listening(toolsOnly, { toolsListChanged: false })).first.params?.notifications).toEqual({})
  })

  it('SUBS-003 SUBS-016 grants nothing about resources that the caller may not read', async () => {
    const app = made()
    const wish = { resourceSubscriptions: ['secret://1', 'note://1'] }
    const bob = await listening(app, wish, { caller: { id: 'bob', scopes: [] } })
    const ada = await listening(app, wish, { caller: { id: 'ada', scopes: ['spy'] } })
    expect(bob.first.params?.notifications).toEqual({ resourceSubscriptions: ['note://1'] })
    app.resources.updated('secret://1')
    const updated = [{ method: 'notifications/resources/updated', params: { uri: 'secret://1' } }]
    await expect.poll(ada.received).toMatchObject(updated)
    expect(bob.received()).toEqual([])
  })

  it('SUBS-016 receives no changes of a resource that the caller may no longer read', async () => {
    const app = made()
    const bob = await listening(app, { resourceSubscriptions: ['note://1'] }, { caller: { id: 'bob', scopes: [] } })
    app.resources.replace('note', resource({ uri: 'note://1', scopes: ['spy'], read: () => 'x' }))
    app.resources.updated('note://1')
    const { id } = await bob.pipe.ask('tools/list', said())
    expect(bob.received()).toMatchObject([{ id }])
  })

  it('keeps only the granted filter of its request', async () => {
    const request: Request = {
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { notifications: all, ...said({ experimental: { more: {} } }), more: 'x'.repeat(100_000) },
    }
    const replies: unknown[] = []
    const reply = { send: (body: unknown) => void replies.push(body), header: undefined, hangUp: undefined, twoWay: true }
    void made()['~application'].receive({ kind: 'request', request }, new Conversation(localUser), reply)
    await vi.waitUntil(() => replies.length > 0, 60_000)
    expect(request.params).toEqual({})
  })

  it('grants a limited number of characters of URIs', async () => {
    const uris = Array.from({ length: 18 }, (_, n) => `note://${n}/${'x'.repeat(60_000)}`)
    const resources = Object.fromEntries(
      uris.map((uri, n) => [`note-${n}`, resource({ uri, name: `note-${n}`, read: () => 'x' })]),
    )
    const app = made({ resources })
    expect((await listening(app, { resourceSubscriptions: uris.slice(1) })).first.method).toBe(acknowledged)
    expect((await listening(app, { resourceSubscriptions: uris })).first.error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('1048576 characters'),
    })
  })

  it('SUBS-016 ends when its token expires', async () => {
    const app = made()
    const { received } = await listening(app, all, { caller: { id: 'ada', expiresAt: Date.now() + 300 } })
    expect(open(app)).toBe(1)
    await vi.waitUntil(() => open(app) === 0, 60_000)
    const other = await listening(app, all)
    app.tools.add('after', quiet)
    await expect.poll(other.received).toHaveLength(1)
    expect(received().filter(({ method }) => method !== 'notifications/cancelled')).toMatchObject([
      { id: 1, result: { resultType: 'complete' } },
    ])
  })

  it.each([
    [{ toolsListChanged: true }, ['notifications/tools/list_changed']],
    [{ resourcesListChanged: true }, ['notifications/resources/list_changed']],
    [{ resourceSubscriptions: ['note://1'] }, ['notifications/resources/updated']],
    [{ promptsListChanged: true }, []],
    [{}, []],
  ])('SUBS-005 to %j receives these changes and no others', async (notifications, expected) => {
    const app = made()
    const { received } = await listening(app, notifications)
    const other = await listening(app, { ...all, resourceSubscriptions: ['note://1'] })
    app.tools.add('more', quiet)
    app.resources.add('more', resource({ uri: 'more://1', read: () => 'x' }))
    app.resources.updated('note://1')
    app.resources.updated('more://1')
    await expect.poll(other.received).toHaveLength(3)
    expect(received().map(({ method }) => method)).toEqual(expected)
  })

  it.each([
    7,
    'seven',
    '7',
    0,
    Number.MAX_SAFE_INTEGER,
  ])('SUBS-006 under the id %j has this id in every message, including the last', async (id) => {
    const app = made()
    const { pipe } = await listening(app, { ...all, resourceSubscriptions: ['note://1'] }, { id })
    app.tools.add('more', quiet)
    app.resources.add('more', note)
    app.resources.updated('note://1')
    const messages = () => pipe.replies.filter(({ method }) => method !== 'notifications/cancelled')
    await expect.poll(messages).toHaveLength(4)
    await app['~application'].drain(100)
    await expect.poll(messages).toHaveLength(5)
    for (const { params, result } of messages()) expect((params ?? result)?._meta).toMatchObject({ [tag]: id })
  })

  it('SUBS-006 returns an id beyond the range of a double exactly', async () => {
    const pipe = new Pipe(made())
    await pipe.say(
      `{"jsonrpc":"2.0","id":12345678901234567890,"method":"subscriptions/listen","params":${JSON.stringify({ notifications: all, ...said() })}}`,
    )
    expect(pipe.texts[0]).toContain(`"${tag}":12345678901234567890`)
  })

  it('SUBS-007 carries no progress and no logs of other calls', async () => {
    const busy = tool({
      run: (_, ctx) => {
        ctx.progress(1, 2)
        ctx.log.error('something')
        return 'done'
      },
    })
    const app = server({ name: 'a', version: '1', tools: { busy }, logging: true }) as unknown as Made
    const { received } = await listening(app, all)
    const caller = new Pipe(app)
    const meta = said({}, { 'io.modelcontextprotocol/logLevel': 'debug', progressToken: 'p' })
    await caller.ask('tools/call', { name: 'busy', ...meta })
    expect(caller.replies.map(({ method }) => method)).toEqual(['notifications/progress', 'notifications/message', undefined])
    expect(received()).toEqual([])
    expect(JSON.stringify(caller.replies)).not.toContain(tag)
  })

  it('SUBS-009 SUBS-011 that the server ends is answered with an empty result and, on a pipe, cancelled by name', async () => {
    const app = made()
    const one = await listening(app, all, { id: 'one' })
    const two = await listening(app, { toolsListChanged: true }, { id: 2 })
    await app['~application'].drain(100)
    for (const [{ received }, id] of [
      [one, 'one'],
      [two, 2],
    ] as const) {
      await expect.poll(received).toMatchObject([
        { id, result: { resultType: 'complete' } },
        { method: 'notifications/cancelled', params: { requestId: id } },
      ])
      expect(Object.keys(received()[0]?.result ?? {}).sort()).toEqual(['_meta', 'resultType'])
    }
    expect(open(app)).toBe(0)
  })

  it('SUBS-011 is the only thing that the server cancels by notifications/cancelled', async () => {
    const run = vi.fn(
      (_: unknown, ctx: Context) =>
        new Promise<string>((_, reject) => ctx.signal.addEventListener('abort', () => reject(new Error('stopped')))),
    )
    const slow = tool({ run })
    const app = server({ name: 'a', version: '1', tools: { slow } }) as unknown as Made
    const { pipe } = await listening(app, all, { id: 'listen' })
    pipe.send({ jsonrpc: '2.0', id: 'call', method: 'tools/call', params: { name: 'slow', ...said() } })
    await expect.poll(() => run).toHaveBeenCalled()
    pipe.notify('notifications/cancelled', { requestId: 'call' })
    await app['~application'].drain(50)
    const cancelled = () => pipe.replies.filter(({ method }) => method === 'notifications/cancelled')
    await expect.poll(cancelled).toMatchObject([{ params: { requestId: 'listen' } }])
  })

  it('SUBS-010 is served by servers that declare changes, and acknowledged as empty by others', async () => {
    const fixed = made({ fixed: true })
    await using t = await judged(fixed)
    expect(JSON.stringify(await t.request('server/discover'))).not.toContain('listChanged')
    expect((await listening(fixed, all)).first).toMatchObject({ method: acknowledged, params: { notifications: {} } })
    await using live = await judged(made())
    expect((await live.request('server/discover')).capabilities).toMatchObject({
      tools: { listChanged: true },
      resources: { listChanged: true },
    })
    expect((await listening(made(), all)).first.params?.notifications).toMatchObject({ toolsListChanged: true })
  })

  it('SUBS-014 is freed when the client cancels it, and no other is', async () => {
    const app = made()
    const one = await listening(app, all, { id: 'one' })
    const two = await listening(app, all, { id: 'one' })
    expect(open(app)).toBe(2)
    one.pipe.notify('notifications/cancelled', { requestId: 'one' })
    await expect.poll(() => open(app)).toBe(1)
    app.tools.add('more', quiet)
    await expect.poll(() => [one.received().length, two.received().length]).toEqual([0, 1])
  })

  it('SUBS-014 is freed when the client disconnects', async () => {
    const app = made()
    const clients = await Promise.all(Array.from({ length: 10 }, () => listening(app, all)))
    expect(open(app)).toBe(10)
    for (const { pipe } of clients) pipe.close()
    expect(open(app)).toBe(0)
  })

  it('SUBS-015 is one of at most sixteen per caller; its place is freed when it ends', async () => {
    const app = made()
    const caller = { id: 'eve' }
    const held = []
    for (let at = 0; at < 16; at++) held.push(await listening(app, all, { caller }))
    expect((await listening(app, all, { caller })).first.error).toMatchObject({
      code: 429,
      data: { retryAfterMs: expect.any(Number) },
    })
    expect((await listening(app, all, { caller: { id: 'ada' } })).first.method).toBe(acknowledged)
    held[0]?.pipe.close()
    expect((await listening(app, all, { caller })).first.method).toBe(acknowledged)
  })

  it('SUBS-015 counts during its setup, and a caller without a key counts as one', async () => {
    const local = { id: 'local', anonymous: true, countsAsOne: true }
    const strangers = { id: 'anonymous', anonymous: true }
    for (const [caller, granted] of [
      [{ id: 'eve' }, 16],
      [local, 16],
      [strangers, 40],
    ] as const) {
      const app = made()
      const pipe = new Pipe(app, caller)
      const listen = (id: number) => ({
        jsonrpc: '2.0',
        id,
        method: 'subscriptions/listen',
        params: { notifications: all, ...said() },
      })
      for (let id = 0; id < 40; id++) pipe.send(listen(id))
      await expect.poll(() => pipe.texts).toHaveLength(40)
      expect([caller, open(app)]).toEqual([caller, granted])
    }
  })

  it('SUBS-015 with an invalid filter frees its place', async () => {
    const app = made()
    const caller = { id: 'eve' }
    for (let at = 0; at < 20; at++)
      expect((await listening(app, 'all' as never, { caller })).first.error).toMatchObject({ code: -32602 })
    expect((await listening(app, all, { caller })).first.method).toBe(acknowledged)
  })

  it('SUBS-014 that is cancelled during setup never begins', async () => {
    const app = made()
    const pipe = new Pipe(app)
    const listen = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { notifications: all, ...said() } }
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
    pipe.send(listen)
    pipe.send(cancel)
    expect((await pipe.ask('tools/list', said())).result).toBeDefined()
    expect([open(app), pipe.texts.length]).toEqual([0, 1])
  })

  it('SUBS-014 whose client disconnects during setup never begins', async () => {
    const app = made()
    const line = post(app, { method: 'subscriptions/listen', params: { notifications: all } })
    line.cancel()
    expect(await line.answer).toBeUndefined()
    expect([open(app), line.stream.length]).toEqual([0, 0])
  })

  it('SUBS-009 that begins while the server drains ends at once', async () => {
    const app = made()
    const waiting = listening(app, all, { id: 'late' })
    const drained = app['~application'].drain(100)
    const { pipe } = await waiting
    await drained
    await expect
      .poll(() => pipe.replies)
      .toMatchObject([
        { method: acknowledged },
        { id: 'late', result: { resultType: 'complete' } },
        { method: 'notifications/cancelled', params: { requestId: 'late' } },
      ])
    expect(open(app)).toBe(0)
  })

  it('SUBS-015 names at most a thousand resources', async () => {
    const resourceSubscriptions = Array.from({ length: 1_001 }, (_, at) => `note://${at}`)
    expect((await listening(made(), { resourceSubscriptions })).first.error).toMatchObject({ code: -32602 })
  })

  it('SUBS-015 receives a burst of changes as one', async () => {
    const app = made()
    const { received } = await listening(app, all)
    for (let at = 0; at < 1_000; at++) app.tools.add(`more-${at}`, quiet)
    await expect.poll(received).toHaveLength(1)
    app.resources.remove('note')
    const lists = ['tools', 'resources']
    await expect.poll(received).toMatchObject(lists.map((list) => ({ method: `notifications/${list}/list_changed` })))
  })

  it.each([
    [undefined],
    [[]],
    ['all'],
    [{ resourceSubscriptions: 'note://1' }],
    [{ resourceSubscriptions: [1] }],
  ])('needs a filter, and %j is none', async (notifications) => {
    expect((await listening(made(), notifications as JsonObject)).first.error).toMatchObject({ code: -32602 })
  })
})

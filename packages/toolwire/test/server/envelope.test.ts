import { setImmediate } from 'node:timers/promises'
import { ask, resource, server, tool } from 'toolwire'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { Json, JsonObject } from '../../src/json.js'
import { judged } from '../official-schemas.js'
import { every, until } from '../revisions.js'
import { said, speaking } from './pipe.js'

const legacy = until('2025-11-25')
const call = (name: string, args: JsonObject = {}) => ({ name, arguments: args })

/** A server that records the runs of its tool. */
function counting() {
  const runs: Json[] = []
  const echo = tool({
    description: 'Says it again',
    input: z.object({ text: z.string().default('') }),
    run: ({ text }) => {
      runs.push(text)
      return text
    },
  })
  return { runs, app: server({ name: 'echo', version: '1.0.0', tools: { echo } }) }
}

const broken = () => {
  throw new Error('password=hunter2 in /home/me/secret.ts')
}

describe.each(every)('In %s', (revision) => {
  it.each([
    ['1.0'],
    [2],
    [undefined],
    [null],
  ])('BASE-001 a message with jsonrpc %j is refused without running a tool', async (jsonrpc) => {
    const { app, runs } = counting()
    const { pipe, params } = await speaking(app, revision)
    const reply = await pipe.say({ jsonrpc, id: 1, method: 'tools/call', params: params(call('echo')) })
    expect(reply).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } })
    expect(runs).toEqual([])
  })

  it.each([[null], [1.5], [true], [{}], [[]]])('BASE-002 the id %j makes a request invalid, and no tool runs', async (id) => {
    const { app, runs } = counting()
    const { pipe, params } = await speaking(app, revision)
    const reply = await pipe.say({ jsonrpc: '2.0', id, method: 'tools/call', params: params(call('echo')) })
    expect(reply.error).toMatchObject({ code: -32600 })
    expect(runs).toEqual([])
  })

  it('BASE-005 a response has the id of its request with its type, even if a similar id is pending', async () => {
    const { pipe, params } = await speaking(counting().app, revision)
    const before = pipe.texts.length
    for (const id of [7, '7']) {
      pipe.send({ jsonrpc: '2.0', id, method: 'tools/call', params: params(call('echo', { text: typeof id })) })
    }
    await vi.waitFor(() => expect(pipe.texts.length).toBe(before + 2), 60_000)
    const texts = pipe.replies.slice(before).map(({ id, result }) => [id, (result?.content as { text: string }[])[0]?.text])
    expect(new Map(texts as [Json, string][])).toEqual(
      new Map<Json, string>([
        [7, 'number'],
        ['7', 'string'],
      ]),
    )
  })

  it('BASE-006 BASE-007 every response is either a result or a well-formed error', async () => {
    const { pipe, ask } = await speaking(counting().app, revision)
    await ask('tools/list')
    await ask('tools/call', call('echo'))
    await ask('tools/call', call('echo', { text: 1 }))
    await ask('tools/call', call('nothing'))
    await ask('no/such/method')
    await pipe.say('{')
    const kinds = pipe.replies.map((reply) => [Object.hasOwn(reply, 'result'), Object.hasOwn(reply, 'error')])
    expect(kinds.filter(([result, error]) => result === error)).toEqual([])
    const errors = pipe.replies.flatMap(({ error }) => (error ? [error] : []))
    expect(errors.length).toBeGreaterThanOrEqual(3)
    for (const error of errors) {
      expect(error).toEqual({
        code: expect.toSatisfy(Number.isInteger),
        message: expect.any(String),
        ...('data' in error && { data: error.data }),
      })
    }
  })

  it('BASE-008 a notification is never answered, neither known nor unknown, valid nor invalid', async () => {
    const { app, runs } = counting()
    const { pipe, params, ask } = await speaking(app, revision)
    const before = pipe.texts.length
    pipe.notify('notifications/no_such_thing')
    pipe.notify('notifications/cancelled', { requestId: { not: 'an id' } })
    pipe.notify('tools/call', params(call('echo')))
    pipe.send({ jsonrpc: '2.0', method: 'notifications/initialized', params: [] })
    pipe.send({ method: 'notifications/initialized' })
    const reply = await ask('tools/call', call('echo', { text: 'after' }))
    expect(reply.result).toBeDefined()
    expect(pipe.texts.length).toBe(before + 1)
    expect(runs).toEqual(['after'])
  })

  it('BASE-011 a text that is not JSON is a parse error; a value that is not a request is an invalid request', async () => {
    const { pipe } = await speaking(counting().app, revision)
    expect((await pipe.say('{')).error).toMatchObject({ code: -32700 })
    expect(await pipe.say({ jsonrpc: '2.0', id: 1 })).toMatchObject({ id: 1, error: { code: -32600 } })
  })

  it.each([
    'no/such/method',
    'prompts/list',
    'prompts/get',
    'resources/read',
    'logging/setLevel',
    'constructor',
  ])('BASE-012 %s is an unknown method if the server does not offer it', async (method) => {
    const { ask } = await speaking(counting().app, revision)
    expect((await ask(method, { name: 'x', uri: 'a:b', level: 'info' })).error).toMatchObject({ code: -32601 })
  })

  it.each([
    ['a list instead of params', []],
    ['a number for a name', { name: 1 }],
    ['no name', {}],
    ['a list of arguments', { name: 'echo', arguments: ['x'] }],
    ['null for arguments', { name: 'echo', arguments: null }],
  ])('BASE-013 tools/call with %s has invalid params', async (_, given) => {
    const { app, runs } = counting()
    const { pipe, params } = await speaking(app, revision)
    const reply = await pipe.say({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: Array.isArray(given) ? given : params(given),
    })
    expect(reply).toMatchObject({ id: 1, error: { code: -32602 } })
    expect(runs).toEqual([])
  })

  it('BASE-014 an unexpected failure does not reveal its cause', async () => {
    const reported = vi.spyOn(console, 'error').mockImplementation(() => {})
    const app = server({
      name: 'broken',
      version: '1.0.0',
      tools: { broken: tool({ description: 'Fails', run: broken }) },
      resources: { broken: resource({ uri: 'broken:it', read: broken }) },
    })
    const { pipe, ask } = await speaking(app, revision)
    expect((await ask('tools/call', call('broken'))).result).toMatchObject({ isError: true })
    expect((await ask('resources/read', { uri: 'broken:it' })).error).toEqual({
      code: -32603,
      message: expect.stringMatching(/^Internal error \w+$/),
    })
    expect(pipe.texts.join()).not.toMatch(/hunter2|secret|\.ts|stack| at /)
    expect(reported.mock.calls.join()).toContain('hunter2')
    reported.mockRestore()
  })

  it('BASE-015 a message that is not UTF-8 is a parse error, and the connection continues', async () => {
    const { app, runs } = counting()
    const { pipe, params, ask } = await speaking(app, revision)
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: params(call('echo', { text: 'é' })) })
    const bytes = new TextEncoder().encode(text)
    bytes[bytes.indexOf(0xc3)] = 0xff
    expect((await pipe.say(bytes)).error).toMatchObject({ code: -32700 })
    expect(runs).toEqual([])
    expect((await ask('tools/call', call('echo'))).result).toBeDefined()
  })

  it('BASE-023 ids and progress tokens beyond 2^53 are returned exactly', async () => {
    const works = tool({ description: 'Works', run: (_, ctx) => `${ctx.progress(1, 1)}` })
    const { pipe, params } = await speaking(server({ name: 's', version: '1', tools: { works } }), revision)
    const text = JSON.stringify({ jsonrpc: '2.0', id: 'ID', method: 'tools/call', params: params(call('works')) })
    const tokened = text.includes('"_meta":{')
      ? text.replace('"_meta":{', '"_meta":{"progressToken":9007199254740995,')
      : text.replace('"arguments":{}', '"arguments":{},"_meta":{"progressToken":9007199254740995}')
    pipe.send(tokened.replace('"ID"', '9007199254740993'))
    await vi.waitFor(() => expect(pipe.texts.at(-1)).toContain('"id":9007199254740993,'), 60_000)
    expect(pipe.texts.at(-2)).toContain('"progressToken":9007199254740995')
    const long = 'x'.repeat(4_096)
    expect((await pipe.say(text.replace('"ID"', `"${long}"`))).id).toBe(long)
  })
})

describe.each(['2025-11-25', '2026-07-28'])('In %s', (revision) => {
  it('BASE-009 an error about an unreadable message has no id', async () => {
    const { pipe } = await speaking(counting().app, revision)
    const reply = await pipe.say('{bad')
    expect(reply).toEqual({ jsonrpc: '2.0', error: { code: -32700, message: expect.any(String) } })
  })
})

describe.each(until('2025-06-18'))('In %s', (revision) => {
  it('BASE-010 an error about an unreadable message has the id null, and the server accepts such errors', async () => {
    const { pipe, ask } = await speaking(counting().app, revision)
    expect(await pipe.say('{bad')).toMatchObject({ id: null, error: { code: -32700 } })
    pipe.send({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } })
    pipe.send({ jsonrpc: '2.0', error: { code: -32700, message: 'Parse error' } })
    const before = pipe.texts.length
    expect((await ask('tools/list')).result).toBeDefined()
    expect(pipe.texts.length).toBe(before + 1)
  })
})

describe('A batch', () => {
  const two = (params: (given: JsonObject) => JsonObject) =>
    [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: params(call('echo')) }))

  it('BASE-017 BASE-018 is answered in 2025-03-26 with a response for each request', async () => {
    const { app, runs } = counting()
    const { pipe, params, ask } = await speaking(app, '2025-03-26')
    const reply = await pipe.say([
      ...two(params),
      { jsonrpc: '2.0', id: 3, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } },
    ])
    expect((reply as unknown as { id: number; result: object }[]).map(({ id, result }) => [id, typeof result]).sort()).toEqual([
      [1, 'object'],
      [2, 'object'],
      [3, 'object'],
    ])
    expect(runs.length).toBe(2)
    const before = pipe.texts.length
    pipe.send([{ jsonrpc: '2.0', method: 'notifications/initialized' }])
    await ask('ping')
    expect(pipe.texts.length).toBe(before + 1)
  })

  it('BASE-020 is one invalid request when empty, and one for each invalid element, in 2025-03-26', async () => {
    const { pipe } = await speaking(counting().app, '2025-03-26')
    expect(await pipe.say([])).toMatchObject({ error: { code: -32600 } })
    expect(await pipe.say([1])).toEqual([expect.objectContaining({ error: expect.objectContaining({ code: -32600 }) })])
  })

  it.each([
    ['BASE-022', '2024-11-05'],
    ['BASE-021', '2025-06-18'],
    ['BASE-021', '2025-11-25'],
    ['BASE-021', '2026-07-28'],
  ])('%s is refused whole in %s, and none of it runs', async (_, revision) => {
    const { app, runs } = counting()
    const { pipe, params, ask } = await speaking(app, revision)
    const before = pipe.texts.length
    expect(await pipe.say(two(params))).toMatchObject({ error: { code: -32600 } })
    await ask('tools/list')
    expect(pipe.texts.length).toBe(before + 2)
    expect(runs).toEqual([])
  })
})

describe.each(legacy)('In %s', (revision) => {
  const asking = () => {
    const roots = tool({ description: 'Asks', run: async (_, ctx) => String((await ctx.ask.roots('roots')).length) })
    return server({
      name: 'asking',
      version: '1.0.0',
      tools: { roots, quick: tool({ description: 'Is quick', run: () => 'quick' }) },
    })
  }

  it('BASE-003 the questions of a session never reuse an id', async () => {
    await using t = await judged(asking(), { revision, answers: { roots: { roots: [] } } })
    for (let calls = 0; calls < 25; calls++) await Promise.all([t.call('roots'), t.call('roots')])
    const ids = t.heard('roots/list').map(({ id }) => id)
    expect(ids.length).toBe(50)
    expect(new Set(ids).size).toBe(50)
  })

  it('BASE-026 the server asks during a call, and answers requests of the client while its own are pending', async () => {
    const { pipe, ask } = await speaking(asking(), revision, { roots: {} })
    const question = await pipe.say({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call('roots') })
    expect(question).toMatchObject({ method: 'roots/list', id: expect.anything() })
    expect((await ask('ping')).result).toEqual({})
    expect((await ask('tools/call', call('quick'))).result).toMatchObject({ content: [{ text: 'quick' }] })
    const answer = await pipe.say({ jsonrpc: '2.0', id: question.id, result: { roots: [{ uri: 'file:///a' }] } })
    expect(answer.result).toMatchObject({ content: [{ text: '1' }] })
  })
})

describe('In 2026-07-28', () => {
  const named = z.object({ name: z.string() })
  const greet = tool({
    description: 'Greets',
    asks: { who: ask('Who?', named) },
    run: (_, ctx) => `Hello ${ctx.answers.who.name}`,
  })
  const long = tool({ description: 'Takes long', longRunning: 'optional', run: () => 'done' })
  const note = resource({ uri: 'note:1', read: () => 'a note' })
  const make = () => server({ name: 'full', version: '1.0.0', tools: { greet, long }, resources: { note } })

  it('BASE-024 requests, version negotiation, questions by retry and subscriptions are supported', async () => {
    const app = make()
    await using t = await judged(app, { answers: { who: { name: 'Ada' } } })
    expect(await t.request('server/discover')).toMatchObject({ supportedVersions: expect.arrayContaining(['2026-07-28']) })
    expect(await t.call('greet')).toMatchObject({ content: [{ text: 'Hello Ada' }] })
    void t.request('subscriptions/listen', { notifications: { toolsListChanged: true } })
    await t.hear('notifications/subscriptions/acknowledged')
    app.tools.disable('long')
    expect((await t.hear('notifications/tools/list_changed')).params).toMatchObject({
      _meta: { 'io.modelcontextprotocol/subscriptionId': expect.anything() },
    })
  })

  it('BASE-027 the server never sends a request', async () => {
    const app = make()
    await using t = await judged(app, { answers: { who: { name: 'Ada' } } })
    void t.request('subscriptions/listen', { notifications: { toolsListChanged: true } })
    await t.call('greet')
    await t.request('resources/read', { uri: 'note:1' })
    app.tools.disable('long')
    await t.hear('notifications/tools/list_changed')
    const sent = t.frames.filter(({ from }) => from === 'server').map(({ message }) => message)
    expect(sent.length).toBeGreaterThan(4)
    expect(sent.filter((message) => 'id' in message && 'method' in message)).toEqual([])
  })

  it('BASE-029 every result has a resultType', async () => {
    const app = make()
    const { pipe, ask } = await speaking(app, '2026-07-28')
    for (const method of ['server/discover', 'tools/list', 'resources/list', 'resources/templates/list']) {
      expect([method, (await ask(method)).result]).toEqual([method, expect.objectContaining({ resultType: 'complete' })])
    }
    expect((await ask('resources/read', { uri: 'note:1' })).result).toMatchObject({ resultType: 'complete' })
    expect((await ask('tools/call', call('long'))).result).toMatchObject({ resultType: 'complete' })
    expect((await pipe.ask('tools/call', { ...call('greet'), ...said({ elicitation: { form: {} } }) })).result).toMatchObject({
      resultType: 'input_required',
    })
    await pipe.say({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { notifications: {}, ...said() } })
    await app['~application'].drain(0)
    await setImmediate()
    expect(
      pipe.replies.find(({ result }) => result && Object.hasOwn(result._meta as object, 'io.modelcontextprotocol/subscriptionId'))
        ?.result,
    ).toMatchObject({ resultType: 'complete' })
  })

  it('BASE-032 a task is only created for a client that declares the extension in the request', async () => {
    const { pipe } = await speaking(make(), '2026-07-28')
    const extended = said({ extensions: { 'io.modelcontextprotocol/tasks': {} } })
    expect((await pipe.ask('tools/call', { ...call('long'), ...extended })).result).toMatchObject({ resultType: 'task' })
    expect((await pipe.ask('tools/call', { ...call('long'), ...said() })).result).toMatchObject({
      resultType: 'complete',
      content: [{ text: 'done' }],
    })
  })
})

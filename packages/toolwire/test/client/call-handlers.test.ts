// Calls with their own answer handlers. A question about one call must not reach the handler of another.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { type CallOptions, type Client, type ConnectOptions, connect, memoryRevisions } from '../../src/client/index.js'
import { type Context, server, tool } from '../../src/index.js'
import type { JsonObject } from '../../src/json.js'
import { listen } from '../../src/node.js'
import type { Answering } from '../../src/relay/index.js'
import { modern } from './questions.js'
import { connectScripted, plainTool, type Script, silence, textResult, toolsPage } from './scripted.js'

const older = ['2025-06-18', '2025-11-25'] as const
type By = 'http' | 'pipe'

/** A server whose tools ask for a name, and log it. */
function asker() {
  let waiting = 0
  let all: (() => void) | undefined
  const everybody = new Promise<void>((resolve) => {
    all = resolve
  })
  const definition = {
    description: 'Asks for a name',
    input: z.object({ together: z.number().default(1) }),
    run: async ({ together }: { together: number }, ctx: Context) => {
      if (++waiting === together) all?.()
      if (together > 1) await everybody
      const { name } = await ctx.ask('name', 'Who?', z.object({ name: z.string() }))
      ctx.log.info(`for ${name}`)
      return name
    },
  }
  const ask = tool(definition)
  const long = tool({ ...definition, longRunning: 'required' })
  return server({ name: 'asker', version: '1.0.0', logging: true, tools: { ask, long } })
}

async function reached(by: By, revision: string, options: ConnectOptions = {}): Promise<{ client: Client; warnings: string[] }> {
  const app = asker()
  const listening = by === 'http' ? await listen(app, { signals: false }) : undefined
  const warnings: string[] = []
  const given: ConnectOptions = {
    revision,
    asks: { form: true },
    logLevel: 'info',
    verdicts: memoryRevisions(),
    onWarning: (text) => warnings.push(text),
    ...options,
  }
  const client = await (listening ? connect(listening.url, given) : connect(app, given))
  onTestFinished(async () => {
    await client.close()
    await listening?.close()
  })
  return { client, warnings }
}

const named = (name: string, more: CallOptions = {}): CallOptions => ({
  answers: { form: () => ({ action: 'accept', content: { name } }) },
  ...more,
})
const throwingHandler: Answering = {
  form: () => {
    throw new Error('Nobody is there')
  },
}
const text = ({ content: [first] }: Awaited<ReturnType<Client['call']>>) => (first?.type === 'text' ? first.text : undefined)

const ways = [
  ...older.flatMap((revision) => (['http', 'pipe'] as const).map((by) => [by, revision] as const)),
  ['http', modern],
  ['pipe', modern],
] as const

describe('a call with its own answer handler', () => {
  it.each(ways)('uses it instead of the handler of the connection, over %s in %s', async (by, revision) => {
    const { client } = await reached(by, revision, { answers: throwingHandler })
    expect(text(await client.call('ask', {}, named('Ada')))).toBe('Ada')
  })

  it.each(ways)('leaves other calls to the handler of the connection, over %s in %s', async (by, revision) => {
    const { client } = await reached(by, revision, { answers: named('everybody').answers! })
    expect(text(await client.call('ask'))).toBe('everybody')
    expect(text(await client.call('ask', {}, named('Ada')))).toBe('Ada')
    expect(text(await client.call('ask'))).toBe('everybody')
  })

  it.each([...older, modern])('is identified by the response stream of the question, over HTTP in %s', async (revision) => {
    const { client } = await reached('http', revision)
    const people = ['Ada', 'Grace', 'Edith']
    const calls = people.map((name) => client.call('ask', { together: people.length }, named(name)))
    expect((await Promise.all(calls)).map(text)).toEqual(people)
  })

  it.each(older)('receives its own log messages, over HTTP in %s', async (revision) => {
    const { client } = await reached('http', revision)
    const logged: unknown[] = []
    const calls = ['Ada', 'Grace'].map((name) =>
      client.call('ask', { together: 2 }, named(name, { onLog: ({ data }) => logged.push([name, data]) })),
    )
    await Promise.all(calls)
    expect(logged.sort()).toEqual([
      ['Ada', 'for Ada'],
      ['Grace', 'for Grace'],
    ])
  })
})

/** Answers everything but the tool, or the argument, `hang`. */
const longWork: Script = {
  'tools/list': toolsPage([plainTool('begin'), plainTool('hang')]),
  'tools/call': (request) => (isHanging(request) ? silence : textResult('begun')),
  'resources/read': { contents: [{ uri: 'x:1', text: 'read' }] },
  'prompts/get': { messages: [] },
  'completion/complete': ({ params: { argument } }) =>
    (argument as JsonObject).value === 'hang' ? silence : { completion: { values: [] } },
}
const isHanging = ({ params }: { params?: unknown }) => (params as JsonObject).name === 'hang'
const aQuestion: JsonObject = { message: 'a question', requestedSchema: { type: 'object', properties: {} } }
const endedRequests = {
  'tools/call': (client: Client, options: CallOptions) => client.call('begin', {}, { ...options, onLog: () => undefined }),
  'resources/read': (client: Client, options: CallOptions) => client.readResource('x:1', options),
  'prompts/get': (client: Client, options: CallOptions) => client.getPrompt('x', {}, options),
  'completion/complete': (client: Client, options: CallOptions) =>
    client.complete({ type: 'ref/prompt', name: 'x' }, { name: 'a', value: '' }, options),
}

describe('on a pipe, where questions do not name their call,', () => {
  it.each(
    older,
  )('no handler is asked in %s while calls for several users are pending, and a warning says so', async (revision) => {
    const { client, warnings } = await reached('pipe', revision)
    const calls = ['Ada', 'Grace'].map((name) => client.call('ask', { together: 2 }, named(name, { onBehalfOf: name })))
    const results = await Promise.all(calls)
    expect(results.map(({ isError }) => isError)).toEqual([true, true])
    expect(results.map(text).join()).toContain('the question names none of them')
    expect(warnings.join('\n')).toContain('does not name the call that it belongs to, and several are pending')
  })

  it.each(older)('a call without its own handler counts as another user in %s', async (revision) => {
    const { client } = await reached('pipe', revision, { answers: named('everybody').answers! })
    const [one, other] = await Promise.all([
      client.call('ask', { together: 2 }, named('Ada')),
      client.call('ask', { together: 2 }),
    ])
    expect([one, other].map((result) => result?.isError)).toEqual([true, true])
  })

  it.each(older)('the handler is asked in %s if one user made all pending calls', async (revision) => {
    const { client } = await reached('pipe', revision)
    const calls = [1, 2].map(() => client.call('ask', { together: 2 }, named('Ada', { onBehalfOf: 'Ada' })))
    expect((await Promise.all(calls)).map(text)).toEqual(['Ada', 'Ada'])
  })

  it.each(older)('a question in %s may still be about a cancelled call, so no other user is asked', async (revision) => {
    const { client } = await reached('pipe', revision)
    const stop = new AbortController()
    const given = client.call('ask', { together: 2 }, named('Ada', { onBehalfOf: 'Ada', signal: stop.signal }))
    stop.abort()
    await expect(given).rejects.toMatchObject({ code: 'cancelled' })
    const result = await client.call('ask', {}, named('Grace', { onBehalfOf: 'Grace' }))
    expect(result.isError).toBe(true)
  })

  /** A client whose call of `hang` records the messages that it receives. */
  async function hanging(options: CallOptions, before: (client: Client) => Promise<unknown> = async () => undefined) {
    const capabilities = { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} }
    const choice = { revision: '2025-11-25', capabilities, options: { asks: { form: true } } }
    const { client, server: scriptedServer } = await connectScripted(longWork, choice)
    await before(client)
    const seen: unknown[] = []
    const answers: Answering = {
      form: ({ message }) => {
        seen.push(message)
        return { action: 'accept', content: {} }
      },
    }
    const call = client.call('hang', {}, { ...options, answers, onLog: ({ data }) => seen.push(data) })
    call.catch(() => undefined) // it ends with the client
    await expect.poll(() => scriptedServer.received('tools/call').some(isHanging)).toBe(true)
    return { client, scriptedServer, seen }
  }

  const [oneObject, otherObject] = [{}, {}]
  const person = (onBehalfOf: string | object) => ({ onBehalfOf })
  it.each([
    { by: 'tools/call', ended: person('Ada'), running: person('Grace'), isShown: false },
    { by: 'resources/read', ended: person('Ada'), running: person('Grace'), isShown: false },
    { by: 'prompts/get', ended: person('Ada'), running: person('Grace'), isShown: false },
    { by: 'completion/complete', ended: person('Ada'), running: person('Grace'), isShown: false },
    { by: 'tools/call', ended: person('Ada'), running: person(oneObject), isShown: false },
    { by: 'tools/call', ended: person(oneObject), running: person('Grace'), isShown: false },
    { by: 'tools/call', ended: person('Ada'), running: {}, isShown: false },
    { by: 'tools/call', ended: person('Ada'), running: person('Ada'), isShown: true },
    { by: 'tools/call', ended: person(oneObject), running: person(otherObject), isShown: true },
    { by: 'tools/call', ended: {}, running: person('Grace'), isShown: true },
    { by: 'tools/call', ended: person('Ada'), running: person('Grace'), isShown: true, laterMs: 30_000 },
  ] as const)('GW-015 messages after an answer reach nobody else: %j', async ({ by, ended, running, isShown, laterMs = 0 }) => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { scriptedServer, seen } = await hanging(running, async (client) => {
      await endedRequests[by](client, ended)
      vi.advanceTimersByTime(laterMs)
    })
    scriptedServer.notify('notifications/message', { level: 'info', data: 'a log' })
    const response = await scriptedServer.ask('q', 'elicitation/create', aQuestion)
    expect([seen, response.error === undefined]).toEqual([isShown ? ['a log', 'a question'] : [], isShown])
  })

  it('GW-015 a question about a task that has no handler here reaches no other', async () => {
    const { scriptedServer, seen } = await hanging({ onBehalfOf: 'Grace' })
    const _meta = { 'io.modelcontextprotocol/related-task': { taskId: 'of Ada' } }
    expect(await scriptedServer.ask('q', 'elicitation/create', { ...aQuestion, _meta })).toHaveProperty('error')
    expect(seen).toEqual([])
  })

  it('messages reach a call, although a request without handlers was sent later for the same person', async () => {
    const { client, scriptedServer, seen } = await hanging({ onBehalfOf: 'Ada' })
    const ref = { type: 'ref/prompt', name: 'x' } as const
    client.complete(ref, { name: 'a', value: 'hang' }, { onBehalfOf: 'Ada' }).catch(() => undefined)
    await expect.poll(() => scriptedServer.received('completion/complete')).toHaveLength(1)
    await scriptedServer.ask('q', 'elicitation/create', aQuestion)
    expect(seen).toEqual(['a question'])
  })

  it('GW-015 open questions of one party leave half of the places to others', async () => {
    const { scriptedServer } = await hanging({ onBehalfOf: 'Ada', atOnce: true })
    const responses: unknown[] = []
    for (let n = 0; n < 40; n++)
      void scriptedServer.ask(`q${n}`, 'elicitation/create', aQuestion).then((response) => responses.push(response))
    await expect.poll(() => responses.length).toBe(40)
    const refused = responses.filter((response) => JSON.stringify(response).includes('Too many questions at once'))
    expect(refused).toHaveLength(8)
  })

  it('a question of a task reaches the handler that waits for the task', async () => {
    const { client } = await reached('pipe', '2025-11-25')
    const calls = ['Ada', 'Grace'].map((name) => client.call('long', { together: 2 }, named(name, { onBehalfOf: name })))
    expect((await Promise.all(calls)).map(text)).toEqual(['Ada', 'Grace'])
  })
})

describe('the declared capabilities', () => {
  const script = { 'tools/list': toolsPage([plainTool('echo')]), 'tools/call': textResult('hi') }

  it.each(older)('include in %s all the kinds that single calls may answer, because they are declared once', async (revision) => {
    const { server: scriptedServer } = await connectScripted(script, { revision, options: { asks: { form: true, roots: true } } })
    const { capabilities } = scriptedServer.received('initialize')[0]?.params as JsonObject
    expect(capabilities).toMatchObject({ elicitation: {}, roots: {} })
  })

  it('depend in 2026-07-28 on the handlers of each call', async () => {
    const { client, server: scriptedServer } = await connectScripted(script, {
      revision: modern,
      options: { asks: { form: true, roots: true } },
    })
    await client.call('echo')
    await client.call('echo', {}, named('Ada'))
    const declared = scriptedServer.received('tools/call').map(({ params }) => {
      const { _meta } = params as { _meta: JsonObject }
      return _meta['io.modelcontextprotocol/clientCapabilities'] as JsonObject
    })
    expect(declared[0]?.elicitation).toBeUndefined()
    expect(declared[1]?.elicitation).toEqual({ form: {} })
    expect(declared[1]?.roots).toBeUndefined()
  })
})

describe('a call that has become a task', () => {
  it('still reports its progress', async () => {
    const walk = tool({
      description: 'Walks',
      longRunning: 'required',
      run: async (_, ctx) => {
        for (let step = 1; step <= 3; step++) {
          await new Promise((resolve) => setTimeout(resolve, 60))
          ctx.progress(step, 3)
        }
        return 'arrived'
      },
    })
    const app = server({ name: 'walker', version: '1.0.0', tools: { walk } })
    const client = await connect(app, { revision: '2025-11-25' })
    onTestFinished(() => client.close())
    const steps: number[] = []
    expect(text(await client.call('walk', {}, { onProgress: ({ progress }) => steps.push(progress) }))).toBe('arrived')
    expect(steps.at(-1)).toBe(3)
  })
})

describe('a session', () => {
  it('reports when it begins, and when it ends by itself', async () => {
    const events: string[] = []
    const { client, server: scriptedServer } = await connectScripted(
      { 'tools/list': toolsPage([]) },
      { revision: '2025-11-25', options: { onSession: ({ kind }) => events.push(kind) } },
    )
    expect(events).toEqual(['begun'])
    scriptedServer.hangUp()
    expect(events).toEqual(['begun', 'ended'])
    await client.listTools()
    expect(events).toEqual(['begun', 'ended', 'begun'])
    await client.close()
    expect(events).toHaveLength(3)
  })
})

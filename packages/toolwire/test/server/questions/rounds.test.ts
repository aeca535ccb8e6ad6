import { ask, type Context, Declined, inputRequired, prompt, resource, server, template, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../../../src/json.js'
import { collect } from '../../garbage.js'
import { judged } from '../../official-schemas.js'
import { faults } from '../../reported-faults.js'
import { every, since } from '../../revisions.js'
import { able, accept, Rounder, textOf } from './rounds.js'

const name = z.object({ name: z.string() })
const greet = tool({ asks: { who: ask('Who?', name) }, run: (_, ctx) => `Hello ${ctx.answers.who.name}` })
const pair = tool({
  run: async (_, ctx) => {
    const [a, b] = await Promise.all([ctx.ask('first', 'First?', name), ctx.ask('second', 'Second?', name)])
    return `${a.name} and ${b.name}`
  },
})

describe('Questions as results', () => {
  const note = resource({ uri: 'note://1', read: async (ctx) => `by ${(await ctx.ask('who', 'Who?', name)).name}` })
  const hello = prompt({ run: async (_, ctx) => `Greet ${(await ctx.ask('who', 'Who?', name)).name}` })
  const app = server({ name: 'asks', version: '1', tools: { greet, pair }, resources: { note }, prompts: { hello } })

  it.each([
    ['tools/call', { name: 'greet' }],
    ['prompts/get', { name: 'hello' }],
    ['resources/read', { uri: 'note://1' }],
  ] as const)('MRTR-001 MRTR-004 %s asks by a result, whose questions have no jsonrpc members', async (method, params) => {
    const client = new Rounder(app)
    const { inputRequests, requestState } = await client.asked(method, params)
    expect(inputRequests).toEqual({
      who: { method: 'elicitation/create', params: { mode: 'form', message: 'Who?', requestedSchema: expect.anything() } },
    })
    const { result } = await client.send(method, {
      ...params,
      requestState,
      inputResponses: { who: accept({ name: 'Ada' }) },
    } as JsonObject)
    expect(result).toMatchObject({ resultType: 'complete' })
    expect(JSON.stringify(result)).toContain('Ada')
  })

  it('MRTR-004 each kind of question has its own key', async () => {
    const every = tool({
      asks: {
        form: ask('Who?', name),
        page: ask.url('Pay', 'https://pay.example/1'),
        model: ask.model({ messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 9 }),
        roots: ask.roots(),
      },
      run: () => 'done',
    })
    const { inputRequests } = await new Rounder(server({ name: 'a', version: '1', tools: { every } })).asked('tools/call', {
      name: 'every',
    })
    expect(Object.entries(inputRequests ?? {}).map(([key, { method }]) => [key, method])).toEqual([
      ['form', 'elicitation/create'],
      ['page', 'elicitation/create'],
      ['model', 'sampling/createMessage'],
      ['roots', 'roots/list'],
    ])
    for (const question of Object.values(inputRequests ?? {})) expect(Object.keys(question).sort()).toEqual(['method', 'params'])
  })

  it('MRTR-002 no other method asks, whatever it receives and whatever its handler returns', async () => {
    const wild = template({
      uriTemplate: 'x://{id}',
      complete: { id: () => inputRequired({ who: ask('Who?', name) }) as never },
      read: () => 'x',
    })
    const one = server({ name: 'asks', version: '1', tools: { greet }, resources: { wild } })
    const client = new Rounder(one)
    const { requestState } = await client.asked('tools/call', { name: 'greet' })
    const completing = { ref: { type: 'ref/resource', uri: 'x://{id}' }, argument: { name: 'id', value: '' } }
    const retry = { requestState, inputResponses: { who: accept({ name: 'Ada' }) } } as JsonObject
    for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'server/discover'])
      expect((await client.send(method, retry)).result?.resultType).toBe('complete')
    const completed = await client.send('completion/complete', { ...completing, ...retry })
    expect(completed).toMatchObject({ error: { code: -32603 } })
    expect(faults).toHaveLength(1)
  })

  it('MRTR-003 a result without questions and state cannot be built', async () => {
    expect(() => inputRequired({})).toThrow(/at least one question or a state/)
    const later = tool({ run: (_, ctx) => (ctx.resumed ? `after ${ctx.resumed.state}` : inputRequired({}, 'a while')) })
    const client = new Rounder(server({ name: 'a', version: '1', tools: { later } }))
    const { inputRequests, requestState } = await client.asked('tools/call', { name: 'later' })
    expect([inputRequests, typeof requestState]).toEqual([undefined, 'string'])
    expect(textOf(await client.call('later', { requestState } as JsonObject))).toBe('after a while')
  })

  it('MRTR-011 answers to unknown questions are ignored, and invalid answers are refused', async () => {
    const client = new Rounder(app)
    const { requestState } = await client.asked('tools/call', { name: 'greet' })
    const malformed = [12345, 'yes', ['x'], { who: 'Ada' }, { who: null }]
    for (const inputResponses of malformed)
      expect((await client.call('greet', { requestState, inputResponses } as JsonObject)).error).toMatchObject({ code: -32602 })
    const fine = { who: accept({ name: 'Ada' }), other: { unknown: true } }
    expect(textOf(await client.call('greet', { requestState, inputResponses: fine } as JsonObject))).toBe('Hello Ada')
  })

  it.each([
    ['does not fit the schema', accept({ name: 12 })],
    ['has no such action', { action: 'maybe' }],
    ['has no content', { action: 'accept' }],
  ])('MRTR-011 a question is repeated if its answer %s', async (_, wrong) => {
    const client = new Rounder(app)
    const { requestState } = await client.asked('tools/call', { name: 'greet' })
    const again = await client.asked('tools/call', { name: 'greet', requestState, inputResponses: { who: wrong } } as JsonObject)
    expect(Object.keys(again.inputRequests ?? {})).toEqual(['who'])
    const right = { requestState: again.requestState, inputResponses: { who: accept({ name: 'Ada' }) } } as JsonObject
    expect(textOf(await client.call('greet', right))).toBe('Hello Ada')
  })

  it('MRTR-012 missing answers are requested again, and no others', async () => {
    const client = new Rounder(app)
    const first = await client.asked('tools/call', { name: 'pair' })
    expect(Object.keys(first.inputRequests ?? {})).toEqual(['first', 'second'])
    const half = { requestState: first.requestState, inputResponses: { first: accept({ name: 'Ada' }) } } as JsonObject
    const second = await client.asked('tools/call', { name: 'pair', ...half })
    expect(Object.keys(second.inputRequests ?? {})).toEqual(['second'])
    const rest = { requestState: second.requestState, inputResponses: { second: accept({ name: 'Bob' }) } } as JsonObject
    expect(textOf(await client.call('pair', rest))).toBe('Ada and Bob')
  })

  it('concurrent questions are asked in one round, even if one takes a few steps longer', async () => {
    const slower = tool({
      run: async (_, ctx) => {
        const after = async () => {
          await Promise.resolve().then(() => Promise.resolve())
          return ctx.ask('second', 'Second?', name)
        }
        await Promise.all([ctx.ask('first', 'First?', name), after()])
        return 'done'
      },
    })
    const client = new Rounder(server({ name: 'a', version: '1', tools: { slower } }))
    const { inputRequests } = await client.asked('tools/call', { name: 'slower' })
    expect(Object.keys(inputRequests ?? {})).toEqual(['first', 'second'])
  })

  it('MRTR-012 a client that sends unrelated answers is still asked', async () => {
    const client = new Rounder(app)
    const { inputRequests } = await client.asked('tools/call', { name: 'greet', inputResponses: { wrong: accept() } })
    expect(Object.keys(inputRequests ?? {})).toEqual(['who'])
    expect(textOf(await client.call('greet', { inputResponses: { who: accept({ name: 'Ada' }) } }))).toBe('Hello Ada')
  })

  it('MRTR-013 scopes are checked again in every round', async () => {
    const guarded = tool({ scopes: ['greet'], asks: { who: ask('Who?', name) }, run: () => 'ran' })
    const one = server({ name: 'a', version: '1', tools: { guarded } })
    const before = new Rounder(one, { caller: { id: 'ada', scopes: ['greet'] } })
    const after = new Rounder(one, { caller: { id: 'ada', scopes: [] } })
    const { requestState } = await before.asked('tools/call', { name: 'guarded' })
    const retry = { requestState, inputResponses: { who: accept({ name: 'x' }) } } as JsonObject
    expect((await after.call('guarded', retry)).error).toMatchObject({ code: -32602, message: 'Unknown tool: guarded' })
  })

  it('MRTR-013 arguments are validated again in every round', async () => {
    let most = 10
    const upTo = z.object({ n: z.number().refine((n) => n <= most, 'too many') })
    const book = tool({ input: upTo, run: async ({ n }, ctx) => `${n} for ${(await ctx.ask('who', 'Who?', name)).name}` })
    const client = new Rounder(server({ name: 'a', version: '1', tools: { book } }))
    const { requestState } = await client.asked('tools/call', { name: 'book', arguments: { n: 5 } })
    most = 4
    const retry = { arguments: { n: 5 }, requestState, inputResponses: { who: accept({ name: 'x' }) } } as JsonObject
    expect((await client.call('book', retry)).result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('too many') }],
    })
  })
})

describe('Undeclared kinds of questions', () => {
  const visit = tool({ asks: { page: ask.url('Pay', 'https://pay.example/1') }, run: () => 'paid' })
  const model = tool({ asks: { poem: ask.model({ messages: [], maxTokens: 1 }) }, run: () => 'poem' })
  const folders = tool({ asks: { folders: ask.roots() }, run: () => 'folders' })
  const raw = tool({ run: () => inputRequired({ page: ask.url('Pay', 'https://pay.example/1') }) })
  const late = tool({
    run: async (_, ctx) => void (await ctx.ask.url('page', 'Pay', 'https://pay.example/1')) as unknown as string,
  })
  const app = server({ name: 'a', version: '1', tools: { greet, visit, model, folders, raw, late } })

  it.each([
    ['greet', {}, { elicitation: { form: {} } }],
    ['greet', { elicitation: { url: {} } }, { elicitation: { form: {} } }],
    ['visit', { elicitation: { form: {} } }, { elicitation: { url: {} } }],
    ['visit', { elicitation: {} }, { elicitation: { url: {} } }],
    ['raw', { elicitation: { form: {} } }, { elicitation: { url: {} } }],
    ['late', { elicitation: { form: {} } }, { elicitation: { url: {} } }],
    ['model', { roots: {} }, { sampling: {} }],
    ['folders', { sampling: {} }, { roots: {} }],
  ])('MRTR-005 MRTR-006 are not asked: %s refuses a client with %j', async (tool, capabilities, requiredCapabilities) => {
    const { error } = await new Rounder(app, { capabilities: capabilities as JsonObject }).call(tool)
    expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities } })
  })

  it('MRTR-005 are skipped if they are optional', async () => {
    const both = tool({
      asks: { who: ask('Who?', name, { optional: true }), poem: ask.model({ messages: [], maxTokens: 1 }) },
      run: (_, ctx) => `${ctx.answers.who?.name}`,
    })
    const client = new Rounder(server({ name: 'a', version: '1', tools: { both } }), { capabilities: { sampling: {} } })
    expect(Object.keys((await client.asked('tools/call', { name: 'both' })).inputRequests ?? {})).toEqual(['poem'])
  })
})

describe.each(since('2025-06-18'))('One handler, at %s', (revision) => {
  const hear = (keys: Record<string, string>) =>
    Object.fromEntries(Object.entries(keys).map(([key, said]) => [key, { name: said }]))
  const answers = hear({ who: 'Ada', first: 'Ada', second: 'Bob', third: 'Cy' })

  it('MRTR-020 handles declared questions, questions at run time and raw ones alike', async () => {
    const onTheWay = tool({ run: async (_, ctx) => `Hello ${(await ctx.ask('who', 'Who?', name)).name}` })
    const raw = tool({
      run: (_, ctx) => {
        if (!ctx.resumed) return inputRequired({ who: ask('Who?', name) }, { greeting: 'Hello' })
        const { greeting } = ctx.resumed.state as { greeting: string }
        return `${greeting} ${(ctx.resumed.responses.who?.content as JsonObject).name}`
      },
    })
    await using t = await judged(server({ name: 'a', version: '1', tools: { greet, onTheWay, raw } }), { revision, answers })
    for (const which of ['greet', 'onTheWay', 'raw'])
      expect((await t.call(which)).content).toEqual([{ type: 'text', text: 'Hello Ada' }])
  })

  it('MRTR-020 asks by requests during the call, or by results, depending on the revision', async () => {
    await using t = await judged(server({ name: 'a', version: '1', tools: { pair } }), { revision, answers })
    expect((await t.call('pair')).content).toEqual([{ type: 'text', text: 'Ada and Bob' }])
    expect(t.heard('elicitation/create')).toHaveLength(revision === '2026-07-28' ? 0 : 2)
  })

  it('runs effects in ctx.once only once, however often it runs', async () => {
    const did: string[] = []
    const steps = tool({
      run: async (_, ctx) => {
        const before = await ctx.once('before', () => did.push('before'))
        const { name: first } = await ctx.ask('first', 'First?', name)
        const [, , second] = await Promise.all([
          ctx.once('left', () => did.push(`left ${first}`)),
          ctx.once('right', async () => did.push('right')),
          ctx.ask('second', 'Second?', name),
        ])
        await ctx.ask('third', 'Third?', name)
        await ctx.once('after', () => did.push(`after ${second.name}`))
        return String(before)
      },
    })
    await using t = await judged(server({ name: 'a', version: '1', tools: { steps } }), { revision, answers })
    expect((await t.call('steps')).content).toEqual([{ type: 'text', text: '1' }])
    expect(did).toEqual(['before', 'left Ada', 'right', 'after Bob'])
  })

  it('retries an effect that failed in ctx.once', async () => {
    let tries = 0
    const flaky = tool({
      run: async (_, ctx) => {
        await ctx.once('fragile', () => (++tries === 1 ? Promise.reject(new Error('not yet')) : tries)).catch(() => undefined)
        await ctx.ask('who', 'Who?', name)
        return `${tries}`
      },
    })
    await using t = await judged(server({ name: 'a', version: '1', tools: { flaky } }), { revision, answers })
    // If the call asks by requests, the handler runs only once.
    expect((await t.call('flaky')).content).toEqual([{ type: 'text', text: revision === '2026-07-28' ? '2' : '1' }])
  })

  it('ends after ten rounds of questions', async () => {
    let put = 0
    const nosy = tool({
      run: async (_, ctx) => {
        for (let round = 1; ; round++) {
          put = Math.max(put, round)
          await ctx.ask(`round-${round}`, 'And?', name)
        }
      },
    })
    const always = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`round-${at + 1}`, { name: 'x' }]))
    await using t = await judged(server({ name: 'a', version: '1', tools: { nosy } }), { revision, answers: always })
    const result = await t.call('nosy')
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/Gave up after 10/) }] })
    expect(put).toBe(11)
  })
})

describe.each(['2025-06-18', '2025-11-25'])('A handler that runs again after raw questions, at %s,', (revision) => {
  it('PROG-002 PROG-003 repeats no other question, and continues its progress', async () => {
    const answers = { who: { name: 'Ada' }, first: { name: 'Bob' }, raw: { name: 'Cy' } }
    const late: Context['progress'][] = []
    const steps = tool({
      asks: { who: ask('Who?', name) },
      run: async (_, ctx) => {
        late.push(ctx.progress)
        ctx.progress(late.length === 1 ? 5 : 1)
        const { name: first } = await ctx.ask('first', 'First?', name)
        const rounds = Number(ctx.resumed?.state ?? 0)
        if (rounds < 2) return inputRequired({ raw: ask('Raw?', name) }, rounds + 1)
        late[0]?.(50)
        ctx.progress(6)
        return `${ctx.answers.who.name} ${first} ${(ctx.resumed?.responses.raw?.content as JsonObject).name}`
      },
    })
    await using t = await judged(server({ name: 'a', version: '1', tools: { steps } }), { revision, answers })
    const result = await t.call('steps', {}, { meta: { progressToken: 'p' } })
    for (const progress of late) progress(100)
    expect(result.content).toEqual([{ type: 'text', text: 'Ada Bob Cy' }])
    const paramsOf = (method: string) => t.heard(method).map(({ params }) => params as JsonObject)
    expect(paramsOf('elicitation/create').map(({ message }) => message)).toEqual(['Who?', 'First?', 'Raw?', 'Raw?'])
    expect(paramsOf('notifications/progress').map(({ progress }) => progress)).toEqual([5, 6])
  })
})

it('ELIC-024 a handler that runs again receives the same refusal, and announces the completion of the same page', async () => {
  const steps = tool({
    run: async (_, ctx) => {
      await ctx.ask.url('page', 'Pay', 'https://pay.example/', { until: () => Promise.resolve() })
      const refusal = await ctx.ask.model('poem', { messages: [], maxTokens: 9 }).then(String, ({ message }) => message)
      return ctx.resumed ? refusal : inputRequired({ raw: ask('Raw?', name) })
    },
  })
  const answers = { page: true, poem: () => Promise.reject(new Error('Not today')), raw: { name: 'Cy' } }
  await using t = await judged(server({ name: 'a', version: '1', tools: { steps } }), { revision: '2025-11-25', answers })
  expect(await t.call('steps')).toMatchObject({ content: [{ text: expect.stringContaining('Not today') }] })
  expect(t.heard('sampling/createMessage')).toHaveLength(1)
  const [page] = t.heard('elicitation/create')
  const { elicitationId } = page?.params as JsonObject
  const announced = t.heard('notifications/elicitation/complete').map(({ params }) => params)
  expect(announced).toEqual([{ elicitationId }, { elicitationId }])
})

describe.each(
  since('2025-11-25'),
)('At %s, an answer counts only for the question that was put: a handler that runs again', (revision) => {
  const poem = (text: string) => ({ messages: [{ role: 'user' as const, content: { type: 'text', text } }], maxTokens: 9 })
  it.each<[string, (ctx: Context, run: number) => Promise<unknown>]>([
    ['message', (ctx, run) => ctx.ask('sure', `Delete ${run} files?`, name)],
    ['form', (ctx, run) => ctx.ask('sure', 'Who?', z.object({ name: z.string().describe(`Name ${run}`) }))],
    ['page', (ctx, run) => ctx.ask.url('sure', 'Pay', `https://pay.example/${run}`)],
    ['request to the model', (ctx, run) => ctx.ask.model('sure', poem(`Write ${run} lines`))],
  ])('puts a question again if its %s is another, and no more often', async (_, put) => {
    let runs = 0
    const rerun = tool({
      run: async (_, ctx) => {
        await put(ctx, Math.min(++runs, 2))
        return ctx.resumed?.state ? 'done' : inputRequired({ raw: ask('Raw?', name) }, 1)
      },
    })
    const asked: string[] = []
    const sure = ({ method, params: { elicitationId: _, ...params } }: { method: string; params: JsonObject }) => {
      asked.push(JSON.stringify(params))
      const said = { model: 'm', role: 'assistant', content: { type: 'text', text: 'la' } }
      return (method === 'sampling/createMessage' ? said : params.mode === 'url' ? true : { name: 'Ada' }) as never
    }
    const answers = { sure, raw: { name: 'Cy' } }
    await using t = await judged(server({ name: 'a', version: '1', tools: { rerun } }), { revision, answers })
    expect(await t.call('rerun')).toMatchObject({ content: [{ text: 'done' }] })
    expect([asked.length, new Set(asked).size]).toEqual([2, 2])
  })
})

it('MRTR-012 an answer that was given before its question was put counts for one question only', async () => {
  let files = 1
  const wipe = tool({
    run: async (_, ctx) => {
      await ctx.ask('sure', `Delete ${files} files?`, name)
      await ctx.ask('who', 'Who?', name)
      return `deleted ${files}`
    },
  })
  const client = new Rounder(server({ name: 'a', version: '1', tools: { wipe } }))
  const sure = { sure: accept({ name: 'yes' }) }
  const { requestState, inputRequests } = await client.asked('tools/call', { name: 'wipe', inputResponses: sure })
  expect(Object.keys(inputRequests ?? {})).toEqual(['who'])
  files = 500
  const who = { who: accept({ name: 'Ada' }) }
  const again = await client.asked('tools/call', { name: 'wipe', requestState, inputResponses: who } as JsonObject)
  expect(again.inputRequests).toMatchObject({ sure: { params: { message: 'Delete 500 files?' } } })
  const rest = { requestState: again.requestState, inputResponses: sure } as JsonObject
  expect(textOf(await client.call('wipe', rest))).toBe('deleted 500')
})

it('a question that is worded differently in each round names its key when the call gives up', async () => {
  let count = 0
  const restless = tool({ run: async (_, ctx) => (await ctx.ask('sure', `Delete ${++count} files?`, name)).name })
  const answers = { sure: { name: 'yes' } }
  await using t = await judged(server({ name: 'a', version: '1', tools: { restless } }), { revision: '2026-07-28', answers })
  const result = await t.call('restless')
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/10 rounds.*"sure".*ctx\.once/) }] })
})

it('a handler that runs again may ask a different question under the same key', async () => {
  const code = z.object({ code: z.string() })
  const wizard = tool({
    run: async (_, ctx) => {
      const [message, schema] = ctx.resumed ? (['Code?', code] as const) : (['Who?', name] as const)
      const step = await ctx.ask('step', message, schema)
      return ctx.resumed ? JSON.stringify(step) : inputRequired({ raw: ask('Raw?', name) })
    },
  })
  const step = ({ params }: { params: JsonObject }) => (params.message === 'Code?' ? { code: '7' } : { name: 'Ada' })
  const answers = { step, raw: { name: 'Cy' } }
  await using t = await judged(server({ name: 'a', version: '1', tools: { wizard } }), { revision: '2025-11-25', answers })
  expect(await t.call('wizard')).toMatchObject({ content: [{ text: '{"code":"7"}' }] })
  expect(t.heard('elicitation/create').map(({ params }) => (params as JsonObject).message)).toEqual(['Who?', 'Raw?', 'Code?'])
})

describe.each(every)('A handler that catches a refusal, at %s,', (revision) => {
  it('MRTR-020 has the same result for every client: an answer, a refusal, or an error that the client cannot be asked', async () => {
    const able = revision >= '2025-06-18'
    const polite = tool({
      run: async (_, ctx) => {
        try {
          return (await ctx.ask('who', 'Who?', name)).name
        } catch (thrown) {
          if (thrown instanceof Declined) return thrown.action
          throw thrown
        }
      },
    })
    await using t = await judged(server({ name: 'a', version: '1', tools: { polite } }), { revision, answers: { who: false } })
    const expected = able
      ? { isError: false, content: [{ text: 'decline' }] }
      : { isError: true, content: [{ text: expect.stringMatching(/needs elicitation/) }] }
    expect(await t.call('polite')).toMatchObject(expected)
  })
})

describe('Abandoned rounds', () => {
  it('MRTR-007 leave no state on the server', async () => {
    const claims: string[] = []
    const spentTickets = { claim: (ticket: string) => claims.push(ticket) > 0 }
    const app = server({ name: 'a', version: '1', tools: { greet }, spentTickets })
    const client = new Rounder(app)
    const abandon = async (rounds: number) => {
      for (let at = 0; at < rounds; at += 100) await Promise.all(Array.from({ length: 100 }, () => client.call('greet')))
    }
    await abandon(2_000)
    const before = heapUsed()
    await abandon(10_000)
    const grown = heapUsed() - before
    expect(claims).toEqual([])
    expect(grown).toBeLessThan(4 * 1024 * 1024)
  })

  it('MRTR-007 use no slots: the next call is answered however many are abandoned', async () => {
    const app = server({ name: 'a', version: '1', tools: { greet }, limits: { inFlight: 1, inFlightEach: 1, queue: 0 } })
    const client = new Rounder(app, { capabilities: able })
    for (let at = 0; at < 20; at++) await client.asked('tools/call', { name: 'greet' })
  })
})

function heapUsed(): number {
  collect()
  return process.memoryUsage().heapUsed
}

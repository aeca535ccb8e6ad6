import { ask, type Context, DefinitionError, inputRequired, server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../../../src/json.js'
import { Conversation } from '../../../src/peer/conversation.js'
import { localUser } from '../../../src/tools/caller.js'
import { since } from '../../revisions.js'
import '../../reported-faults.js'
import { complaints, judged } from '../../official-schemas.js'
import { Pipe } from '../pipe.js'
import { able, Rounder } from './rounds.js'

const page = 'https://pay.example/session/7f3a'
const yes = z.object({ yes: z.boolean() })
const asks = since('2025-06-18')
const visits = since('2025-11-25')

/** A tool that deletes after approval, and records the deletions. */
function deleting() {
  const deleted: string[] = []
  const gone = (how: string) => void deleted.push(how) as unknown as string
  const declared = tool({ hints: { destructive: true }, asks: { sure: ask('Sure?', yes) }, run: () => gone('declared') })
  const onTheWay = tool({ run: async (_, ctx) => gone(`on the way ${(await ctx.ask('sure', 'Sure?', yes)).yes}`) })
  const optional = tool({
    asks: { sure: ask('Sure?', yes, { optional: true }) },
    run: (_, ctx) => (ctx.answers.sure?.yes ? gone('optional') : 'kept'),
  })
  const visited = tool({ asks: { sure: ask.url('Confirm there', page) }, run: () => gone('visited') })
  return { deleted, app: server({ name: 'a', version: '1', tools: { declared, onTheWay, optional, visited } }) }
}

describe.each(asks)('A refusal, at %s', (revision) => {
  const refusals: [string, JsonObject][] = [
    ['declines', { action: 'decline' }],
    ['closes the question', { action: 'cancel' }],
    ['declines but has filled in the form', { action: 'decline', content: { yes: true } }],
    ['cancels but has filled in the form', { action: 'cancel', content: { yes: true } }],
  ]

  it.each(refusals)('ELIC-010 by a person who %s approves nothing', async (_, sure) => {
    const { app, deleted } = deleting()
    await using t = await judged(app, { revision, answers: { sure } })
    for (const name of ['declared', 'onTheWay', ...(visits.includes(revision) ? ['visited'] : [])])
      expect(await t.call(name)).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/declined|did not answer/) }],
      })
    expect(await t.call('optional')).toMatchObject({ isError: false, content: [{ text: 'kept' }] })
    expect(deleted).toEqual([])
  })

  it.each([
    ['agrees without filling in the form', { action: 'accept' }],
    ['says something else', { action: 'yes', content: { yes: true } }],
    ['fills in something else', { action: 'accept', content: { no: true } }],
  ])('ELIC-010 is assumed for a client that %s, after one more question', async (_, sure) => {
    const { app, deleted } = deleting()
    await using t = await judged(app, { revision, lenient: true, answers: { sure } })
    expect(await t.call('declared')).toMatchObject({ isError: true })
    expect(deleted).toEqual([])
  })

  it('ELIC-010 differs from an approval, which is accepted', async () => {
    const { app, deleted } = deleting()
    await using t = await judged(app, { revision, answers: { sure: { action: 'accept', content: { yes: true } } } })
    for (const name of ['declared', 'onTheWay', 'optional']) await t.call(name)
    expect(deleted).toEqual(['declared', 'on the way true', 'optional'])
  })
})

describe.each(visits)('An undeclared mode, at %s', (revision) => {
  const form = tool({ asks: { sure: ask('Sure?', yes) }, run: () => 'x' })
  const visit = tool({ asks: { sure: ask.url('Confirm', page) }, run: () => 'x' })
  const raw = tool({ run: () => inputRequired({ sure: ask.url('Confirm', page) }) })
  const onTheWay = tool({ run: async (_, ctx) => String(await ctx.ask.url('sure', 'Confirm', page)) })
  const app = server({ name: 'a', version: '1', tools: { form, visit, raw, onTheWay } })

  it.each([
    ['visit', { elicitation: { form: {} } }],
    ['visit', { elicitation: {} }],
    ['visit', {}],
    ['raw', { elicitation: { form: {} } }],
    ['onTheWay', { elicitation: { form: {} } }],
    ['form', { elicitation: { url: {} } }],
    ['form', {}],
  ])('ELIC-004 in %s is not sent to a client with %j', async (name, capabilities) => {
    await using t = await judged(app, { revision, capabilities, answers: { sure: true } })
    if (revision === '2025-11-25')
      expect(await t.call(name)).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('elicitation') }] })
    else await expect(t.call(name)).rejects.toMatchObject({ code: -32021 })
    expect(JSON.stringify(t.frames.filter(({ from }) => from === 'server'))).not.toContain('elicitation/create')
  })
})

describe('A page to visit', () => {
  const visit = (url: string) => () =>
    server({ name: 'a', version: '1', tools: { v: tool({ asks: { go: ask.url('Go', url) }, run: () => 'x' }) } })

  it.each([
    ['a password', 'https://ada:secret@pay.example/'],
    ['a user', 'https://ada@pay.example/'],
    ['an access token', 'https://pay.example/?access_token=eyJhbGciOi'],
    ['a token', 'https://pay.example/?id=1&token=eyJhbGciOi'],
    ['an API key', 'https://pay.example/?api_key=12345'],
    ['an address', 'https://pay.example/?user=ada%40home.example'],
    ['plain http', 'http://pay.example/'],
    ['script', 'javascript:alert(1)'],
    ['no URL', 'pay.example'],
  ])('ELIC-018 is refused with the URL %s', (_, url) => {
    expect(visit(url)).toThrow(DefinitionError)
  })

  it.each([
    page,
    'https://pay.example/connect?id=7f3a',
    'http://localhost:3000/pay/7f3a',
    'http://[::1]:3000/pay/7f3a',
  ])('may have the URL %s', (url) => {
    expect(visit(url)).not.toThrow()
  })

  it.each(visits)('ELIC-018 is refused if an invalid URL is made at run time, at %s', async (revision) => {
    const late = tool({
      run: async (_, ctx) => String(await ctx.ask.url('go', 'Go', `https://pay.example/?session_token=${ctx.caller.id}`)),
    })
    await using t = await judged(server({ name: 'a', version: '1', tools: { late } }), { revision, answers: { go: true } })
    expect(await t.call('late')).toMatchObject({ isError: true })
    expect(JSON.stringify(t.frames)).not.toContain('session_token')
  })
})

/** A promise, and the function that resolves it. */
function later() {
  const settle: (() => void)[] = []
  const promise = new Promise<void>((resolve) => void settle.push(resolve))
  return { promise, done: () => settle[0]?.() }
}

/** Two tools that continue when the person has completed the page. */
function paying() {
  const { promise, done } = later()
  const declared = tool({ asks: { go: ask.url('Pay', page, { until: () => promise }) }, run: () => 'paid' })
  const onTheWay = tool({
    run: async (_, ctx) => ((await ctx.ask.url('go', 'Pay', page, { until: () => promise })) ? 'paid' : 'not'),
  })
  return { done, app: server({ name: 'a', version: '1', tools: { declared, onTheWay } }) }
}

const idOf = (question: JsonObject | undefined) => (question?.params as JsonObject).elicitationId
const complete = 'notifications/elicitation/complete'

describe.each(['declared', 'onTheWay'])('The completion of a page (%s)', (name) => {
  it('ELIC-024 is announced to the client that was asked, with the id of its question, and to no other', async () => {
    const { app, done } = paying()
    const revision = '2025-11-25'
    await using other = await judged(app, { revision, answers: { go: true } })
    await using t = await judged(app, { revision, answers: { go: true } })
    const calling = t.call(name)
    const question = await t.hear('elicitation/create')
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(t.heard(complete)).toEqual([])
    done()
    expect(await calling).toMatchObject({ content: [{ text: 'paid' }] })
    expect(t.heard(complete)).toEqual([{ jsonrpc: '2.0', method: complete, params: { elicitationId: idOf(question) } }])
    expect(idOf(question)).toEqual(expect.any(String))
    expect(other.heard()).toEqual([])
  })

  it('is not announced if the person refused, or if the call was cancelled', async () => {
    const { app, done } = paying()
    await using no = await judged(app, { revision: '2025-11-25', answers: { go: false } })
    expect(await no.call(name)).toMatchObject({ isError: true })
    const stop = new AbortController()
    await using t = await judged(app, { revision: '2025-11-25', answers: { go: true } })
    const calling = t.call(name, {}, { signal: stop.signal })
    await t.hear('elicitation/create')
    await new Promise((resolve) => setTimeout(resolve, 5))
    stop.abort()
    await expect(calling).rejects.toThrow()
    done()
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect([...no.heard(complete), ...t.heard(complete)]).toEqual([])
  })

  it('ELIC-025 is not announced at 2026-07-28, where such questions have no id and no error', async () => {
    const { app, done } = paying()
    await using t = await judged(app, { revision: '2026-07-28', answers: { go: true } })
    const calling = t.call(name)
    await new Promise((resolve) => setTimeout(resolve, 20))
    done()
    expect(await calling).toMatchObject({ content: [{ text: 'paid' }] })
    const asked = t.frames.find(({ message }) => JSON.stringify(message).includes('input_required'))
    expect((asked?.message.result as JsonObject).inputRequests).toEqual({
      go: { method: 'elicitation/create', params: { mode: 'url', message: 'Pay', url: page } },
    })
    expect(JSON.stringify(t.frames)).not.toMatch(/elicitationId|elicitation\/complete|-32042/)
  })
})

it('ELIC-024 has a different id for each question', async () => {
  const twice = tool({ asks: { one: ask.url('One', page), two: ask.url('Two', page) }, run: () => 'x' })
  await using t = await judged(server({ name: 'a', version: '1', tools: { twice } }), {
    revision: '2025-11-25',
    answers: { one: true, two: true },
  })
  await t.call('twice')
  const ids = t.heard('elicitation/create').map(idOf)
  expect(new Set(ids).size).toBe(2)
})

type Answer = string | ReturnType<typeof inputRequired>
type Run = (input: unknown, ctx: Context) => Promise<Answer> | Answer

describe.each(
  asks.filter((revision) => revision !== '2026-07-28'),
)('An open question at the end of its call, at %s,', (revision) => {
  const open = () => new Promise<never>(() => {})
  const poem = () => Promise.reject(new Error('Not today'))
  const sampling = { messages: [], maxTokens: 9 }
  const withdrawn = 'notifications/cancelled'

  it.each<[string, Run]>([
    [
      'another was declined',
      async (_, ctx) => String(await Promise.all([ctx.ask('sure', 'Sure?', yes), ctx.ask.model('poem', sampling)])),
    ],
    ['another one of inputRequired was declined', () => inputRequired({ sure: ask('Sure?', yes), poem: ask.model(sampling) })],
    [
      'the handler waits for it no longer',
      (_, ctx) => Promise.race([ctx.ask('sure', 'Sure?', yes), ctx.ask.model('poem', sampling)]).then(String, String),
    ],
  ])('is withdrawn before the response: %s', async (_, run) => {
    const app = server({ name: 'a', version: '1', tools: { asks: tool({ run }) } })
    await using t = await judged(app, { revision, answers: { sure: open, poem } })
    await t.call('asks')
    const [question] = t.heard('elicitation/create')
    const last = t.frames.filter(({ from }) => from === 'server').slice(-2)
    expect(last).toMatchObject([
      { message: { method: withdrawn, params: { requestId: question?.id } } },
      { message: { result: {} } },
    ])
  })

  it('is not sent if it is too late', async () => {
    const late: Promise<unknown>[] = []
    const ended = later()
    const run: Run = (_, ctx) => {
      late.push(ended.promise.then(() => ctx.ask('sure', 'Sure?', yes)))
      return 'done'
    }
    await using t = await judged(server({ name: 'a', version: '1', tools: { asks: tool({ run }) } }), {
      revision,
      answers: { sure: true },
    })
    await t.call('asks')
    ended.done()
    await expect(Promise.all(late)).rejects.toThrow('The call ended before')
    expect(t.heard()).toEqual([])
  })

  it('stays open while the handler runs again', async () => {
    const { promise, done } = later()
    const run: Run = async (_, ctx) => {
      const sure = ctx.ask('sure', 'Sure?', yes)
      if (!ctx.resumed) return inputRequired({ raw: ask('Raw?', yes) })
      done()
      return `${(await sure).yes}`
    }
    const answers = { raw: { yes: true }, sure: () => promise.then(() => ({ yes: true })) }
    await using t = await judged(server({ name: 'a', version: '1', tools: { asks: tool({ run }) } }), { revision, answers })
    expect(await t.call('asks')).toMatchObject({ content: [{ text: 'true' }] })
    expect(t.heard(withdrawn)).toEqual([])
  })
})

describe('A client that cannot be asked during a call', () => {
  const form = tool({ asks: { sure: ask('Sure?', yes) }, run: () => 'x' })
  const visit = tool({ asks: { go: ask.url('Pay', page) }, run: () => 'x' })
  const fails = tool({ run: () => Promise.reject(new Error('no')) })
  const app = server({ name: 'a', version: '1', tools: { form, visit, fails } })

  /** Calls at 2025-11-25 without a channel for server requests. */
  async function called(name: string): Promise<JsonObject> {
    const conversation = new Conversation(localUser)
    const sent: string[] = []
    const line = { send: (text: string) => void sent.push(text), header: undefined, hangUp: undefined, twoWay: false }
    const send = async (id: number, method: string, params: JsonObject) => {
      const request = { jsonrpc: '2.0', id, method, params } as const
      const answer = await app['~application'].receive({ kind: 'request', request }, conversation, line)
      return JSON.parse(String(answer?.body)) as JsonObject
    }
    await send(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: able, clientInfo: { name: 'c', version: '1' } })
    const answer = await send(2, 'tools/call', { name })
    expect(sent).toEqual([])
    return answer
  }

  it('ELIC-021 receives the URL elicitation error with the pages to visit and their ids', async () => {
    const answer = await called('visit')
    const elicitations = [{ mode: 'url', message: 'Pay', url: page, elicitationId: expect.any(String) }]
    expect(answer.error).toMatchObject({ code: -32042, data: { elicitations } })
    expect((answer.error as JsonObject).data).toEqual({ elicitations })
    expect(complaints('2025-11-25', answer)).toEqual([])
  })

  it('ELIC-021 receives another error for a form, or for another failure', async () => {
    expect(await called('form')).toMatchObject({ result: { isError: true } })
    expect(await called('fails')).toMatchObject({ result: { isError: true } })
  })

  it.each(asks)('ELIC-021 receives this error, unlike a client that can be asked, at %s', async (revision) => {
    await using t = await judged(app, { revision, answers: { go: false } })
    await t.call('visit').catch(() => undefined)
    expect(JSON.stringify(t.frames)).not.toContain('-32042')
  })
})

describe('The owner of an answer', () => {
  const greet = tool({ run: async (_, ctx) => `Hello ${(await ctx.ask('who', 'Who?', z.object({ name: z.string() }))).name}` })
  const app = server({ name: 'a', version: '1', tools: { greet } })
  const greeting = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'greet' } }
  const answer = (id: unknown, name: string) => ({ jsonrpc: '2.0', id, result: { action: 'accept', content: { name } } })

  it('ELIC-026 is one session: another session cannot answer the same id', async () => {
    const [ada, eve] = [new Pipe(app, { id: 'ada' }), new Pipe(app, { id: 'eve' })]
    for (const pipe of [ada, eve]) await pipe.open('2025-11-25', able)
    const { id } = await ada.say(greeting)
    eve.send(answer(id, 'Eve'))
    expect(await ada.say(answer(id, 'Ada'))).toMatchObject({ result: { content: [{ text: 'Hello Ada' }] } })
  })

  it('is one exact id: the same id of another type is refused', async () => {
    const ada = new Pipe(app)
    await ada.open('2025-11-25', able)
    const { id } = await ada.say(greeting)
    ada.send(answer(String(id), 'Eve'))
    expect(await ada.say(answer(id, 'Ada'))).toMatchObject({ result: { content: [{ text: 'Hello Ada' }] } })
  })

  it('ELIC-026 is the asked user, even for an answer in a round', async () => {
    const who = { who: { action: 'accept', content: { name: 'Ada' } } }
    const [ada, eve] = [new Rounder(app, { caller: { id: 'ada' } }), new Rounder(app, { caller: { id: 'eve' } })]
    const { requestState } = await ada.asked('tools/call', { name: 'greet' })
    const { error } = await eve.call('greet', { requestState, inputResponses: who } as JsonObject)
    expect(error).toMatchObject({ code: -32602 })
  })
})

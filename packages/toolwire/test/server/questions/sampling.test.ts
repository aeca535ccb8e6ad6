import { server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/json.js'
import type { SamplingRequest } from '../../../src/tools/ask.js'
import { judged } from '../../official-schemas.js'
import { faults } from '../../reported-faults.js'
import { every, since } from '../../revisions.js'

const said = (role: 'user' | 'assistant', ...content: JsonObject[]) => ({ role, content })
const text = (words: string): JsonObject => ({ type: 'text', text: words })
const use = (id: string): JsonObject => ({ type: 'tool_use', id, name: 'weather', input: {} })
const result = (toolUseId: string): JsonObject => ({ type: 'tool_result', toolUseId, content: [text('sunny')] })
const weather = { name: 'weather', inputSchema: { type: 'object' } }
const poem = { role: 'assistant', content: text('a poem'), model: 'm' }

/** A tool that sends one sampling request. */
const asking = (request: Partial<SamplingRequest>) =>
  server({
    name: 'a',
    version: '1',
    tools: {
      write: tool({
        run: async (_, ctx) =>
          JSON.stringify(
            (await ctx.ask.model('poem', { messages: [said('user', text('Write'))], maxTokens: 9, ...request })).content,
          ),
      }),
    },
  })

/** The request as the client received it. */
async function seen(
  revision: string,
  request: Partial<SamplingRequest>,
  sampling: JsonObject = { tools: {} },
): Promise<JsonObject | undefined> {
  let params: JsonObject | undefined
  const answers = {
    poem: (question: { params: JsonObject }) => {
      params = question.params
      return poem
    },
  }
  await using t = await judged(asking(request), { revision, answers, capabilities: { sampling } })
  await t.call('write').catch(() => undefined)
  return params
}

describe.each(every)('Sampling at %s', (revision) => {
  it('MRTR-020 has the same interface for the handler, whatever the wire format', async () => {
    await using t = await judged(asking({}), { revision, answers: { poem } })
    expect(await t.call('write')).toMatchObject({ isError: false, content: [{ text: JSON.stringify(text('a poem')) }] })
    expect(t.heard('sampling/createMessage')).toHaveLength(revision === '2026-07-28' ? 0 : 1)
  })

  it.each([
    {},
    { roots: {} },
    { elicitation: { form: {} } },
  ])('SAMP-001 MRTR-020 is not used if the client has declared %j', async (capabilities) => {
    await using t = await judged(asking({}), { revision, capabilities, answers: { poem } })
    if (revision === '2026-07-28')
      await expect(t.call('write')).rejects.toMatchObject({ code: -32021, data: { requiredCapabilities: { sampling: {} } } })
    else expect(await t.call('write')).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('sampling') }] })
    expect(JSON.stringify(t.frames)).not.toContain('createMessage')
  })

  it('SAMP-009 omits the context of servers unless the client supports it', async () => {
    for (const includeContext of ['thisServer', 'allServers']) {
      expect(await seen(revision, { includeContext })).not.toHaveProperty('includeContext')
      if (revision >= '2025-11-25')
        expect(await seen(revision, { includeContext }, { context: {} })).toMatchObject({ includeContext })
    }
    expect(await seen(revision, {})).not.toHaveProperty('includeContext')
    expect(await seen(revision, { includeContext: 'none' })).toMatchObject({ includeContext: 'none' })
  })

  it('returns a tool error if the user refuses', async () => {
    const no = () => Promise.reject(new Error('The user refused'))
    await using t = await judged(asking({}), { revision, answers: { poem: no } })
    if (revision === '2026-07-28') await expect(t.call('write')).rejects.toThrow('The user refused')
    else expect(await t.call('write')).toMatchObject({ isError: true })
  })
})

it('SAMP-001 sampling at 2026-07-28 depends on the capabilities of the request, and not on earlier ones', async () => {
  await using t = await judged(asking({}), { revision: '2026-07-28', capabilities: { sampling: {} }, answers: { poem } })
  expect(await t.call('write')).toMatchObject({ isError: false })
  const meta = { 'io.modelcontextprotocol/clientCapabilities': {} }
  await expect(t.call('write', {}, { meta })).rejects.toMatchObject({ code: -32021 })
})

describe.each(since('2025-11-25'))('Tools for the model at %s', (revision) => {
  it.each([
    ['tools', { tools: [weather] }],
    ['a choice of tool', { toolChoice: { mode: 'none' } }],
    ['both', { tools: [weather], toolChoice: { mode: 'auto' } }],
    ['results of tools', { messages: [said('assistant', use('1')), said('user', result('1'))] }],
  ] as [
    string,
    Partial<SamplingRequest>,
  ][])('SAMP-002 with %s is refused unless sampling.tools was declared', async (_, request) => {
    expect(await seen(revision, request, {})).toBeUndefined()
    expect(await seen(revision, request, { tools: {} })).toMatchObject(request)
  })
})

it.each(
  every.filter((one) => one < '2025-11-25'),
)('SAMP-002 sampling has no tools at %s, which does not define them', async (revision) => {
  expect(await seen(revision, { tools: [weather] }, { tools: {} })).toBeUndefined()
})

describe.each(since('2025-11-25'))('A conversation with tools at %s', (revision) => {
  const fine: [string, SamplingRequest['messages']][] = [
    ['one tool use and its result', [said('user', text('?')), said('assistant', use('1')), said('user', result('1'))]],
    ['two tool uses answered in any order', [said('assistant', use('1'), use('2')), said('user', result('2'), result('1'))]],
    [
      'text beside a tool use',
      [said('assistant', text('Let me see'), use('1')), said('user', result('1')), said('assistant', text('Sunny'))],
    ],
    ['a result that is not in a list', [said('assistant', use('1')), { role: 'user', content: result('1') }]],
    [
      'one turn after another',
      [said('assistant', use('1')), said('user', result('1')), said('assistant', use('2')), said('user', result('2'))],
    ],
  ]
  it.each(fine)('SAMP-006 may contain %s', async (_, messages) => {
    expect(await seen(revision, { messages, tools: [weather] })).toMatchObject({ messages })
  })

  const broken: [string, SamplingRequest['messages']][] = [
    ['a tool use at the end', [said('user', text('?')), said('assistant', use('1'))]],
    ['an unanswered tool use', [said('assistant', use('1')), said('user', text('And?'))]],
    ['a tool use answered too late', [said('assistant', use('1')), said('user', text('And?')), said('user', result('1'))]],
    ['one of two tool uses answered', [said('assistant', use('1'), use('2')), said('user', result('1'))]],
    [
      'two tool uses answered in separate messages',
      [said('assistant', use('1'), use('2')), said('user', result('1')), said('user', result('2'))],
    ],
    ['a result without a tool use', [said('user', result('1'))]],
    ['a result of another tool use', [said('assistant', use('1')), said('user', result('2'))]],
    ['a result twice', [said('assistant', use('1')), said('user', result('1'), result('1'))]],
    ['text beside a result', [said('assistant', use('1')), said('user', result('1'), text('there'))]],
    [
      'an image beside a result',
      [said('assistant', use('1')), said('user', { type: 'image', data: '', mimeType: 'image/png' }, result('1'))],
    ],
    ['a result from the model', [said('assistant', use('1')), said('assistant', result('1'))]],
  ]
  it.each(broken)('SAMP-006 is not sent with %s', async (_, messages) => {
    expect(await seen(revision, { messages, tools: [weather] })).toBeUndefined()
    expect(faults.map(({ fault }) => String(fault)).join()).toMatch(/tool_use|tool results/)
  })

  it('SAMP-008 is not endless: after ten questions the tool fails', async () => {
    const loop = tool({
      run: async (_, ctx) => {
        const messages: SamplingRequest['messages'] = [said('user', text('?'))]
        for (let turn = 1; ; turn++) {
          const { content } = await ctx.ask.model(`turn-${turn}`, { messages, maxTokens: 9, tools: [weather] })
          messages.push({ role: 'assistant', content }, said('user', result(`use-${turn}`)))
        }
      },
    })
    const asked: string[] = []
    const another = (turn: number) => () => {
      asked.push(`turn-${turn}`)
      return { role: 'assistant', model: 'm', content: use(`use-${turn}`), stopReason: 'toolUse' }
    }
    const answers = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`turn-${at + 1}`, another(at + 1)]))
    await using t = await judged(server({ name: 'a', version: '1', tools: { loop } }), { revision, answers })
    expect(await t.call('loop')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('Gave up after 10') }],
    })
    expect(asked).toHaveLength(10)
  })
})

// Sampling: questions of a server to the model of the client. spec 2026-07-28, client/sampling
import { describe, expect, it } from 'vitest'
import type { ModelAsked } from '../../src/client/client.js'
import { Declined } from '../../src/index.js'
import type { JsonObject } from '../../src/json.js'
import type { Answering } from '../../src/relay/index.js'
import { every, since, until } from '../revisions.js'
import { askClient, modern } from './questions.js'
import { connectScripted, plainTool, textResult, toolsPage } from './scripted.js'

const user = (text: string) => ({ role: 'user', content: { type: 'text', text } })
const reply = (text: string) => ({ role: 'assistant', model: 'm', content: { type: 'text', text }, stopReason: 'endTurn' })
const question = (params: JsonObject = {}) => ({
  method: 'sampling/createMessage',
  params: { messages: [user('Capital of France?')], maxTokens: 5, ...params },
})
const tools = [{ name: 'look', inputSchema: { type: 'object' } }]
const use = { type: 'tool_use', id: 'u1', name: 'look', input: {} }
const result = { type: 'tool_result', toolUseId: 'u1', content: [{ type: 'text', text: 'seen' }] }

/** A model that records the questions. */
function model(answer: () => JsonObject = () => reply('Paris')) {
  const asked: ModelAsked[] = []
  const answers: Answering = {
    model: (question) => {
      asked.push(question)
      return answer()
    },
  }
  return { asked, answers }
}
const declining = () =>
  model(() => {
    throw new Declined('decline', 'not that')
  })

describe.each(every)('%s', (revision) => {
  it('SAMP-004 lets the handler see the question, change the reply, and refuse', async () => {
    const edited = model(() => reply('Paris, edited'))
    const { result: sent } = await askClient(revision, question(), { name: 'the shop', answers: edited.answers })
    expect(edited.asked).toMatchObject([{ server: 'the shop', request: { messages: [user('Capital of France?')] } }])
    expect(sent).toEqual(reply('Paris, edited'))
    const denied = await askClient(revision, question(), { answers: declining().answers })
    expect(denied.result).toBeUndefined()
    if (revision === modern) expect(denied.failure).toMatchObject({ code: 'cancelled' })
    else expect(denied.error).toBeDefined()
  })

  it('SAMP-005 passes on the token limit, and calls no model by itself', async () => {
    for (const maxTokens of [1, 50_000]) {
      const { asked, answers } = model()
      await askClient(revision, question({ maxTokens }), { answers })
      expect(asked.map(({ request }) => request.maxTokens)).toEqual([maxTokens])
    }
    const { error, failure } = await askClient(revision, question())
    if (revision === modern) expect(failure).toMatchObject({ code: 'bad_response' })
    else expect(error).toMatchObject({ code: -32601 })
  })
})

describe.each(until('2025-11-25'))('%s, with a handshake', (revision) => {
  it('SAMP-007 answers with the error -1 if the person refuses', async () => {
    const { error } = await askClient(revision, question(), { answers: declining().answers })
    expect(error).toMatchObject({ code: -1, message: expect.stringMatching(/rejected/) })
  })
})

it.each(until('2025-06-18'))('SAMP-003 refuses tools for the model, which cannot be declared in %s', async (revision) => {
  for (const more of [{ tools }, { toolChoice: { mode: 'auto' } }]) {
    const { asked, answers } = model()
    const { error } = await askClient(revision, question(more), { answers })
    expect(error).toMatchObject({ code: -32602 })
    expect(asked).toEqual([])
  }
})

describe.each(since('2025-11-25'))('tools for the model, %s', (revision) => {
  it('SAMP-003 are refused unless declared, and are declared if the handler accepts them', async () => {
    for (const more of [{ tools }, { tools, toolChoice: { mode: 'auto' } }]) {
      const refused = await askClient(revision, question(more), { answers: { form: () => ({ action: 'decline' }) } })
      expect(capabilitiesOf(refused.server.received(revision === modern ? 'tools/call' : 'initialize')[0])).not.toHaveProperty(
        'sampling',
      )
      if (revision === modern) {
        expect(refused.failure).toMatchObject({ name: 'CallFailure', code: 'bad_response' })
        expect(refused.server.received('tools/call')).toHaveLength(1)
      } else expect(refused.error).toBeDefined()
      const { asked, answers } = model()
      const taken = await askClient(revision, question(more), { answers })
      expect(capabilitiesOf(taken.server.received(revision === modern ? 'tools/call' : 'initialize')[0])?.sampling).toEqual({
        tools: {},
      })
      expect(asked).toMatchObject([{ request: more }])
    }
  })

  it('SAMP-008 cannot loop endlessly at the request of the server', async () => {
    const { asked, answers } = model(() => ({ ...reply(''), content: [use], stopReason: 'toolUse' }))
    const again = question({
      tools,
      messages: [user('go'), { role: 'assistant', content: [use] }, { role: 'user', content: [result] }],
    })
    const { client, server } = await connectScripted(
      {
        'tools/list': toolsPage([plainTool('ask')]),
        'tools/call': async () => {
          if (revision === modern) return { resultType: 'input_required', inputRequests: { again }, requestState: 's' }
          for (let turn = 0; turn < 20; turn++) {
            const { error } = await server.ask(`turn ${turn}`, again.method, again.params)
            if (error) return textResult(JSON.stringify(error))
          }
          return textResult('never stopped')
        },
      },
      { revision, options: { answers, limits: { questionsPerMinute: 4, rounds: 4 } } },
    )
    const end = await client.call('ask').then(
      ({ content: [first] }) => JSON.stringify(first),
      (thrown: unknown) => String(thrown),
    )
    expect(end).toMatch(/Too many questions|limits\.rounds/)
    expect(asked).toHaveLength(4)
  })
})

const capabilitiesOf = (request: JsonObject | undefined): JsonObject | undefined => {
  const { capabilities, _meta } = (request?.params ?? {}) as { capabilities?: JsonObject; _meta?: JsonObject }
  return capabilities ?? (_meta?.['io.modelcontextprotocol/clientCapabilities'] as JsonObject | undefined)
}

it('SAMP-007 refuses, in 2025-11-25, a conversation in which a tool use has no result', async () => {
  const unbalanced: JsonObject[][] = [
    [user('go'), { role: 'assistant', content: [use] }],
    [user('go'), { role: 'assistant', content: [use] }, user('well?')],
    [user('go'), { role: 'user', content: [result] }],
    [user('go'), { role: 'assistant', content: [use] }, { role: 'user', content: [result, { type: 'text', text: 'and' }] }],
  ]
  for (const messages of unbalanced) {
    const { asked, answers } = model()
    expect((await askClient('2025-11-25', question({ tools, messages }), { answers })).error).toMatchObject({ code: -32602 })
    expect(asked).toEqual([])
  }
})

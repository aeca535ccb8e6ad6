// Requests that need several rounds of input. spec 2026-07-28, basic/patterns/mrtr
import { describe, expect, it } from 'vitest'
import type { FormAnswer } from '../../src/client/client.js'
import { approve } from '../../src/guard.js'
import { Declined } from '../../src/index.js'
import type { JsonObject } from '../../src/json.js'
import { TransportError } from '../../src/peer/client-transport.js'
import { expectAfter, expectWithin } from '../soak.js'
import { modern } from './questions.js'
import { connectScripted, plainTool, type Script, textResult, toolsPage } from './scripted.js'

const listed = { 'tools/list': toolsPage([plainTool('ask'), plainTool('other')]) }
const requestedSchema = { type: 'object', properties: { it: { type: 'string' } } }
const form = (message: string) => ({ method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } })
const asking = (inputRequests: JsonObject, more: JsonObject = {}) => ({ resultType: 'input_required', inputRequests, ...more })
const accept = (it: string): FormAnswer => ({ action: 'accept', content: { it } })
const echoing = { answers: { form: ({ message }: { message: string }) => accept(message) } }

/** Answers each call with the next reply, and repeats the last one. */
function inTurn(...replies: JsonObject[]): Script {
  let calls = 0
  return { ...listed, 'tools/call': () => replies[Math.min(calls++, replies.length - 1)] ?? {} }
}

const paramsOf = (messages: JsonObject[]) => messages.map(({ params }) => params as JsonObject)

describe(modern, () => {
  it('MRTR-014 is retried when it has every answer, and not before', async () => {
    const callsSoFar: number[] = []
    const { client, server } = await connectScripted(
      inTurn(asking({ a: form('A'), b: form('B'), c: form('C') }), textResult('done')),
      {
        revision: modern,
        options: {
          answers: {
            form: async ({ message }) => {
              await new Promise((resolve) => setTimeout(resolve, 10))
              callsSoFar.push(server.received('tools/call').length)
              return accept(message)
            },
          },
        },
      },
    )
    await client.call('ask')
    expect(callsSoFar).toEqual([1, 1, 1])
    expect(Object.keys(paramsOf(server.received('tools/call'))[1]?.inputResponses as JsonObject)).toEqual(['a', 'b', 'c'])
  })

  it('MRTR-014 is retried with increasing delays if the result has a state and no question', async () => {
    const times: number[] = []
    const { client } = await connectScripted(
      {
        ...listed,
        'tools/call': () => {
          times.push(performance.now())
          return times.length < 4 ? { resultType: 'input_required', requestState: 'wait' } : textResult('done')
        },
      },
      { revision: modern },
    )
    await expect(client.call('ask')).resolves.toMatchObject({ isError: false })
    const [first = 0, second = 0, third = 0, fourth = 0] = times
    expectAfter(second - first, 40)
    expectAfter(fourth - third, 150)
  })

  it('MRTR-015 is retried with the same parameters, the answers by their keys and a new id', async () => {
    const questions = { a: form('A'), 'odd key ✓': form('B'), '0': form('C') }
    const { client, server } = await connectScripted(inTurn(asking(questions, { requestState: 's' }), textResult('done')), {
      revision: modern,
      options: echoing,
    })
    await client.call(
      'ask',
      { n: 1, deep: { list: [1, 'x'] } },
      { meta: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` } },
    )
    const [first, second] = server.received('tools/call')
    const { inputResponses, requestState, ...again } = second?.params as JsonObject
    expect(again).toEqual(first?.params)
    expect(second?.id).not.toBe(first?.id)
    expect(requestState).toBe('s')
    expect(inputResponses).toEqual({ a: accept('A'), 'odd key ✓': accept('B'), '0': accept('C') })
  })

  it('MRTR-016 returns the state of the last result unchanged, and none if there was none', async () => {
    const state = ` {"looks":"like JSON"} \u0000\u2028\ud83d\ude00 é \\n ${'x'.repeat(4_096)}\n `
    const { client, server } = await connectScripted(
      inTurn(
        asking({ a: form('A') }, { requestState: state }),
        asking({ b: form('B') }),
        asking({}, { requestState: '' }),
        textResult('ok'),
      ),
      { revision: modern, options: echoing },
    )
    await client.call('ask')
    const sent = paramsOf(server.received('tools/call'))
    expect(sent.map((params) => params.requestState)).toEqual([undefined, state, undefined, ''])
    expect(sent.map((params) => params.inputResponses && Object.keys(params.inputResponses as JsonObject))).toEqual([
      undefined,
      ['a'],
      ['b'],
      undefined,
    ])
  })

  it('MRTR-017 is kept apart from concurrent calls', async () => {
    const { client, server } = await connectScripted(
      {
        ...listed,
        'tools/call': async ({ params }) => {
          const { n } = params.arguments as { n: number }
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 10))
          return params.inputResponses ? textResult(`${n}`) : asking({ q: form(`${n}`) }, { requestState: `state of ${n}` })
        },
      },
      { revision: modern, options: { ...echoing, limits: { questionsPerMinute: 100 } } },
    )
    await Promise.all(Array.from({ length: 20 }, (_, n) => client.call('ask', { n })))
    await client.call('other', { n: 99 }).catch(() => undefined)
    const again = paramsOf(server.received('tools/call')).filter(({ name, inputResponses }) => name === 'ask' && inputResponses)
    expect(again).toHaveLength(20)
    for (const { arguments: args, requestState, inputResponses } of again) {
      const { n } = args as { n: number }
      expect({ requestState, inputResponses }).toEqual({ requestState: `state of ${n}`, inputResponses: { q: accept(`${n}`) } })
    }
    const [other] = paramsOf(server.received('tools/call')).filter(({ name }) => name === 'other')
    expect(other).not.toHaveProperty('requestState')
    expect(other).not.toHaveProperty('inputResponses')
  })

  it('MRTR-018 fails after too many rounds', async () => {
    const { client, server } = await connectScripted(inTurn(asking({ a: form('A') }, { requestState: 's' })), {
      revision: modern,
      options: { ...echoing, limits: { rounds: 3 } },
    })
    await expect(client.call('ask')).rejects.toMatchObject({ name: 'CallFailure', code: 'limit' })
    expect(server.received('tools/call')).toHaveLength(4)
  })

  it('MRTR-018 answers ten questions at once for each permitted round, and no more', async () => {
    const questions = (count: number) =>
      asking(Object.fromEntries(Array.from({ length: count }, (_, at) => [`q${at}`, { method: 'roots/list' }])))
    let asked = 0
    const roots = async () => {
      asked++
      return []
    }
    const options = { answers: { roots }, limits: { rounds: 3 } }
    const few = await connectScripted(inTurn(questions(30), textResult('done')), { revision: modern, options })
    await few.client.call('ask')
    expect(asked).toBe(30)
    const many = await connectScripted(inTurn(questions(31), textResult('done')), { revision: modern, options })
    await expect(many.client.call('ask')).rejects.toMatchObject({
      code: 'limit',
      message: expect.stringContaining('limits.rounds'),
    })
    expect(asked).toBe(30)
    expect(many.server.received('tools/call')).toHaveLength(1)
  })

  it('MRTR-018 has one timeout for all its rounds together', async () => {
    const { client } = await connectScripted(
      {
        ...listed,
        'tools/call': async () => {
          await new Promise((resolve) => setTimeout(resolve, 60))
          return asking({ a: form('A') }, { requestState: 's' })
        },
      },
      { revision: modern, options: echoing },
    )
    const began = performance.now()
    const thrown = await client.call('ask', {}, { totalMs: 150 }).catch((error: unknown) => error)
    expect(['timed_out', 'outcome_unknown']).toContain((thrown as { code: string }).code)
    expectWithin(performance.now() - began, 1_500)
  })

  it('SECC-010 is not restarted if the program exits while a person answers', async () => {
    const { client, server } = await connectScripted(inTurn(asking({ a: form('A') }), textResult('done')), {
      revision: modern,
      options: {
        policies: [approve({ ask: () => 'allow' })],
        answers: {
          form: ({ message }) => {
            server.hangUp(new TransportError('exited', 'the program ended', { sent: true }))
            return accept(message)
          },
        },
      },
    })
    await expect(client.call('ask')).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect(server.received('tools/call')).toHaveLength(1)
  })

  it.each(['decline', 'cancel'] as const)('MRTR-019 is retried with a %s of the person', async (action) => {
    const { client, server } = await connectScripted(inTurn(asking({ a: form('A') }), textResult('left')), {
      revision: modern,
      options: { answers: { form: () => ({ action }) } },
    })
    await expect(client.call('ask')).resolves.toMatchObject({ content: [{ text: 'left' }] })
    expect(paramsOf(server.received('tools/call'))[1]?.inputResponses).toEqual({ a: { action } })
  })

  it('MRTR-019 is not retried if the person forbids a question to the model', async () => {
    const params = { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 5 }
    const { client, server, frames } = await connectScripted(
      inTurn(asking({ a: { method: 'sampling/createMessage', params } }, { requestState: 's' })),
      {
        revision: modern,
        options: {
          answers: {
            model: () => {
              throw new Declined('decline', 'no')
            },
          },
        },
      },
    )
    await expect(client.call('ask')).rejects.toMatchObject({ name: 'CallFailure', code: 'cancelled' })
    expect(server.received('tools/call')).toHaveLength(1)
    expect(frames.filter(({ from, message }) => from === 'client' && message.method === undefined)).toEqual([])
  })
})

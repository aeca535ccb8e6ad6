// Several questions at once, with the names of the upstream, and only those that the caller supports.
import { ask, server, tool } from 'toolwire'
import { harness } from 'toolwire/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { AggregateServer } from '../../src/catalog/aggregate-server.js'
import { QuestionKeys } from '../../src/upstreams/question-keys.js'
import { client, gateway, http, listening, modern, upstream, words } from '../support/upstream-fixture.js'

const name = z.object({ name: z.string() })
const thought = ask.model({ messages: [{ role: 'user', content: { type: 'text', text: 'Think' } }], maxTokens: 10 })

const asker = () =>
  server({
    name: 'asker',
    version: '1.0.0',
    tools: {
      all: tool({
        description: 'Asks everybody at once',
        asks: { who: ask('Who?', name), thought, folders: ask.roots() },
        run: (_, { answers }) => `${answers.who.name} in ${answers.folders.map(({ uri }) => uri).join()}`,
      }),
      either: tool({
        description: 'Asks the person where there is one',
        asks: { who: ask('Who?', name, { optional: true }), thought },
        run: (_, { answers }) => `${answers.who?.name ?? 'nobody'}, who thinks`,
      }),
      again: tool({
        description: 'Asks until the answer is right',
        run: async (_, ctx) => {
          for (const key of ['first', 'second']) {
            const given = await ctx.ask(key, 'Who?', name)
            if (given.name === 'Ada') return `${given.name} at the ${key}`
          }
          return 'nobody'
        },
      }),
      steps: tool({
        description: 'Goes fast',
        run: async (_, { progress }) => {
          for (const step of [1, 2, 3, 4]) {
            progress(step, 4)
            await new Promise((resolve) => setTimeout(resolve, 10))
          }
          return 'arrived'
        },
      }),
    },
  })

async function offered(revision = modern) {
  const { url } = await listening(asker())
  const offer = new AggregateServer({
    upstreams: [upstream('asker', http(url), { revision, prefix: false })],
    server: { name: 'gateway', version: '1.0.0' },
  })
  onTestFinished(() => offer.close())
  await offer.open()
  return offer.server
}

describe('simultaneous questions', () => {
  it('GW-004 are in one result', async () => {
    const t = await harness(await offered(), { revision: modern, answers: {} })
    await expect(t.call('all')).rejects.toThrow('no answer to the question "who"')
    const results = t.frames.map(({ message }) => (message as { result?: { inputRequests?: object } }).result)
    const { inputRequests = {} } = results.find((result) => result?.inputRequests) ?? {}
    expect(Object.keys(inputRequests)).toEqual(['who', 'thought', 'folders'])
  })

  it('GW-004 reach the caller by their own names', async () => {
    const { url } = await gateway([upstream('asker', http((await listening(asker())).url), { revision: modern })])
    const asked: (string | undefined)[] = []
    const one = await client(url, {
      revision: modern,
      answers: {
        form: ({ key }) => {
          asked.push(key)
          return { action: 'accept', content: { name: 'Ada' } }
        },
        model: ({ key }) => {
          asked.push(key)
          return { role: 'assistant', content: { type: 'text', text: 'thought' }, model: 'm' }
        },
        roots: async () => [{ uri: 'file:///here' }],
      },
    })
    expect(words(await one.call('asker__all'))).toBe('Ada in file:///here')
    expect(asked).toEqual(['who', 'thought'])
  })

  it('GW-004 reach a caller of an older revision one by one', async () => {
    const { url } = await gateway([upstream('asker', http((await listening(asker())).url), { revision: modern })])
    const one = await client(url, {
      revision: '2025-11-25',
      answers: {
        form: () => ({ action: 'accept', content: { name: 'Ada' } }),
        model: () => ({ role: 'assistant', content: { type: 'text', text: 'thought' }, model: 'm' }),
        roots: [{ uri: 'file:///here' }],
      },
    })
    expect(words(await one.call('asker__all'))).toBe('Ada in file:///here')
  })

  it('GW-004 are limited to those that the caller supports', async () => {
    const { url } = await gateway([upstream('asker', http((await listening(asker())).url), { revision: modern })])
    const model = () => ({ role: 'assistant' as const, content: { type: 'text' as const, text: 'thought' }, model: 'm' })
    const thinks = await client(url, { revision: modern, answers: { model } })
    expect(words(await thinks.call('asker__either'))).toBe('nobody, who thinks')
    const fills = await client(url, {
      revision: modern,
      answers: { form: () => ({ action: 'accept', content: { name: 'Ada' } }) },
    })
    await expect(fills.call('asker__either')).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { sampling: {} } },
    })
  })
})

it('an upstream that asks twice gets two answers', async () => {
  const { url } = await gateway([upstream('asker', http((await listening(asker())).url), { revision: modern })])
  const names = ['Bob', 'Ada']
  const form = () => ({ action: 'accept' as const, content: { name: names.shift() ?? '' } })
  const one = await client(url, { revision: modern, answers: { form } })
  expect(words(await one.call('asker__again'))).toBe('Ada at the second')
})

it('GW-001 every report of progress reaches the caller', async () => {
  const t = await harness(await offered(), { revision: '2025-11-25' })
  const steps: number[] = []
  await t.call('steps', {}, { onProgress: ({ progress }) => steps.push(Number(progress)) })
  expect(steps).toEqual([1, 2, 3, 4])
})

describe('the names of questions', () => {
  it('are those of the upstream, once each', () => {
    const keys = new QuestionKeys()
    expect(['who', 'who', undefined, 'question-2'].map((named) => keys.next(named))).toEqual([
      'who',
      'question-2',
      'question-3',
      'question-4',
    ])
  })

  it.each(['__proto__', 'constructor', '', 'a b', 'x'.repeat(65)])('cannot be %j', (named) => {
    expect(new QuestionKeys().next(named)).toBe('question-1')
  })
})

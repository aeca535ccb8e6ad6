// Questions between servers and clients of any two revisions.
import { prompt, resource, server } from 'toolwire'
import type { Answering } from 'toolwire/relay'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { asking, askingServer, client, gateway, http, listening, modern, upstream, words } from '../support/upstream-fixture.js'

const people: Answering = {
  form: ({ message }) =>
    message.endsWith('> Which color?')
      ? { action: 'accept', content: { color: 'red' } }
      : { action: 'accept', content: message.endsWith('> Which size?') ? { size: 7 } : { people: 4 } },
  page: () => ({ action: 'accept' }),
  model: () => ({ role: 'assistant', content: { type: 'text', text: '42' }, model: 'test' }),
  roots: [{ uri: 'file:///work' }],
}

const pairs = asking.flatMap((server) =>
  asking.flatMap((caller) => (['http', 'pipe'] as const).map((by) => ({ server, caller, by }))),
)

describe.each(pairs)('a server of $server over $by and a client of $caller', ({ server, caller, by }) => {
  it('GW-003 GW-004 relay a question during a call, which is made once', async () => {
    const { target } = await askingServer(server, by)
    const { url } = await gateway([upstream('asking', target)])
    const one = await client(url, { revision: caller, answers: people })
    expect(words(await one.call('asking__book', { at: 'noon' }))).toBe('booked at noon for 4')
    expect(words(await one.call('asking__twice'))).toBe('red in 7')
    expect(JSON.parse(words(await one.call('asking__counts')))).toEqual({ begun: 1, booked: 1, chosen: 1 })
  })
})

describe('other questions of a server', () => {
  const kinds = [
    ['asking__visit', 'visited'],
    ['asking__think', 'thought: 42'],
    ['asking__where', 'file:///work'],
  ] as const
  it.each([
    [modern, '2025-11-25'],
    ['2025-11-25', modern],
    ['2025-11-25', '2025-11-25'],
    [modern, modern],
  ])('of %s reach a client of %s: pages, sampling and roots', async (server, caller) => {
    const { target } = await askingServer(server, 'http')
    const { url } = await gateway([upstream('asking', target)])
    const one = await client(url, { revision: caller, answers: people })
    for (const [tool, answer] of kinds) expect(words(await one.call(tool))).toBe(answer)
  })
})

describe('a resource or a prompt', () => {
  it.each([
    [modern, '2025-11-25'],
    ['2025-11-25', modern],
    [modern, modern],
  ])('may ask during its request, too: a server of %s, a client of %s', async (revision, caller) => {
    let read = 0
    const who = z.object({ name: z.string() })
    const app = server({
      name: 'asks',
      version: '1.0.0',
      resources: {
        diary: resource({
          uri: 'diary://today',
          read: async (ctx) => {
            await ctx.once('read', () => read++)
            return `the diary of ${(await ctx.ask('who', 'Who?', who)).name}`
          },
        }),
      },
      prompts: { greet: prompt({ run: async (_, ctx) => `Hello ${(await ctx.ask('who', 'Who?', who)).name}` }) },
    })
    const { url: behind } = await listening(app)
    const { url } = await gateway([upstream('asks', http(behind), { revision })])
    const one = await client(url, { revision: caller, answers: { form: () => ({ action: 'accept', content: { name: 'Ada' } }) } })
    expect(await one.readResource('diary://today')).toMatchObject([{ text: 'the diary of Ada' }])
    expect(await one.getPrompt('asks__greet')).toMatchObject({ messages: [{ content: { text: 'Hello Ada' } }] })
    expect(read).toBe(1)
  })
})

// URL elicitation: a server sends a person to a page, and reports when the person is done.
import { type Context, server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { client, eventually, gateway, http, listening, upstream, words } from '../support/upstream-fixture.js'

const revision = '2025-11-25'

/** Tools that open a page: one that waits for it, one that does not, and one that only asks for consent. */
function visits() {
  const open: (() => void)[] = []
  const until = () => new Promise<void>((resolve) => open.push(resolve))
  const begun = () => open.length > 0
  const send = ({ ask }: Context, options = {}) => ask.url('page', 'Please sign in', 'https://example.com/sign-in', options)
  const tools = {
    waits: async (ctx: Context) => {
      await send(ctx, { until })
      return 'signed in'
    },
    goes: async (ctx: Context) => {
      void send(ctx, { until })
      await eventually(begun)
      return 'sent away'
    },
    plain: async (ctx: Context) => {
      await send(ctx)
      return 'agreed'
    },
  }
  const app = server({
    name: 'sending',
    version: '1.0.0',
    tools: Object.fromEntries(
      Object.entries(tools).map(([name, run]) => [
        name,
        tool({ description: name, run: (_: unknown, ctx: Context) => run(ctx) }),
      ]),
    ),
  })
  return { app, begun, finish: () => open.shift()?.() }
}

async function person(url: string) {
  const order: string[] = []
  const one = await client(url, {
    revision,
    answers: {
      page: ({ completed }) => {
        order.push(completed ? 'asked' : 'asked without an id')
        void completed?.then(() => order.push('completed'))
        return { action: 'accept' }
      },
    },
  })
  return { one, order }
}

describe('a page', () => {
  it('is completed when the server says so, during its call', async () => {
    const { app, finish, begun } = visits()
    const { url } = await gateway([upstream('sending', http((await listening(app)).url), { revision })])
    const { one, order } = await person(url)
    const call = one.call('sending__waits')
    await eventually(begun)
    expect(order).toEqual(['asked'])
    finish()
    expect(words(await call)).toBe('signed in')
    await eventually(() => order.length === 2)
    expect(order).toEqual(['asked', 'completed'])
  })

  it('is completed when the server says so, long after the answer to its call', async () => {
    const { app, finish, begun } = visits()
    const { url } = await gateway([upstream('sending', http((await listening(app)).url), { revision })])
    const { one, order } = await person(url)
    expect(words(await one.call('sending__goes'))).toBe('sent away')
    expect(begun()).toBe(true)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(order).toEqual(['asked'])
    finish()
    await eventually(() => order.length === 2)
  })

  it('is never completed by the gateway if the server does not say so', async () => {
    const { app } = visits()
    const { url } = await gateway([upstream('sending', http((await listening(app)).url), { revision: '2026-07-28' })])
    const { one, order } = await person(url)
    expect(words(await one.call('sending__plain'))).toBe('agreed')
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(order).toEqual(['asked'])
  })
})

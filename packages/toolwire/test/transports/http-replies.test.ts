// The possible messages in the response to a POST.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { server, tool } from '../../src/index.js'
import { type Listening, listen } from '../../src/node.js'
import { call, fixture, initialized, modern, selfDescribing } from './fixture.js'
import { Client, eventsIn, HttpPeer } from './peers.js'

type Message = { id?: unknown; method?: string; result?: { [member: string]: unknown } }

const parsed = (text: string): unknown[] => eventsIn(text).flatMap(({ data }) => (data ? [JSON.parse(data)] : []))

describe(`a response of ${modern}`, () => {
  const order = tool({
    description: 'Orders, and asks on the way',
    run: async (_input, ctx) => {
      ctx.progress(1, 2)
      ctx.log.info('about to ask')
      const { yes } = await ctx.ask('sure', 'Sure?', z.object({ yes: z.boolean() }))
      ctx.progress(2, 2)
      return yes ? 'ordered' : 'left'
    },
  })
  let listening: Listening
  beforeAll(async () => {
    listening = await listen(server({ name: 'shop', version: '1', logging: true, tools: { order } }), { signals: false })
  })
  afterAll(() => listening.close())

  const said = {
    progressToken: 'p',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    'io.modelcontextprotocol/logLevel': 'debug',
  }
  const round = async (id: number, more: object): Promise<Message[]> => {
    const message = selfDescribing(call(id, 'order', {}, { ...more, _meta: said }))
    const response = await new HttpPeer(listening.url).post(JSON.stringify(message), message)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    return parsed(await response.text()) as Message[]
  }

  it('HTTP-008 contains notifications and one result, and never a request, even if the tool asks', async () => {
    const first = await round(1, {})
    const asked = first.at(-1)?.result
    expect(asked).toMatchObject({ resultType: 'input_required', inputRequests: { sure: { method: 'elicitation/create' } } })
    const inputResponses = { sure: { action: 'accept', content: { yes: true } } }
    const second = await round(2, { inputResponses, requestState: asked?.requestState })
    expect(second.at(-1)).toMatchObject({ id: 2, result: { content: [{ text: 'ordered' }] } })
    const all = [...first, ...second]
    expect(all.filter(({ id, method }) => id !== undefined && method !== undefined)).toEqual([])
    expect(new Set(all.flatMap(({ method }) => method ?? []))).toEqual(
      new Set(['notifications/progress', 'notifications/message']),
    )
    expect(all.filter(({ method }) => method === undefined).map(({ id }) => id)).toEqual([1, 2])
  })
})

describe('the response to a batch of 2025-03-26', () => {
  let listening: Listening
  let peer: HttpPeer
  beforeAll(async () => {
    listening = await listen(fixture().app, { signals: false })
    peer = new HttpPeer(listening.url)
    await Client.open(peer, '2025-03-26')
  })
  afterAll(() => listening.close())

  const slow = call('slow', 'slow', { ms: 50 }, { _meta: { progressToken: 'p' } })
  const quick = call('quick', 'echo', { text: 'x' })
  const ids = (answers: unknown) => (answers as Message[]).map(({ id }) => id)

  it('SHTTP-047 is a JSON array if nothing precedes it', async () => {
    const response = await peer.post(JSON.stringify([quick, initialized, { ...quick, id: 'again' }]))
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(ids(await response.json())).toEqual(['quick', 'again'])
  })

  it('SHTTP-047 is an array in one event if a stream was opened for earlier messages', async () => {
    const response = await peer.post(JSON.stringify([slow, quick]))
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const events = parsed(await response.text())
    const arrays = events.filter(Array.isArray)
    expect(arrays.map(ids)).toEqual([['slow', 'quick']])
    expect(events.at(-1)).toBe(arrays[0])
    const before = events.slice(0, -1) as Message[]
    expect(before.length).toBeGreaterThan(0)
    for (const { method } of before) expect(method).toBe('notifications/progress')
  })
})

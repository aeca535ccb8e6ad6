import { ask, inputRequired, prompt, resource, server, tool } from 'toolwire'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../../../src/json.js'
import { sealer } from '../../../src/peer/sealer.js'
import type { SpentTickets } from '../../../src/server/questions/spent-tickets.js'
import { accept, Rounder, textOf } from './rounds.js'

const name = z.object({ name: z.string() })
const yes = { who: accept({ name: 'Ada' }) }
const ran: string[] = []

const pay = tool({
  input: z.object({ amount: z.number() }),
  run: async ({ amount }, ctx) => {
    const { name: who } = await ctx.ask('who', 'Who?', name)
    ran.push(`${who} ${amount}`)
    return `${who} paid ${amount}`
  },
})
const secretive = tool({
  run: (_, ctx) => (ctx.resumed ? String(ctx.resumed.state) : inputRequired({ who: ask('Who?', name) }, 'launch code 0000')),
})
const page = resource({ uri: 'note://1', read: async (ctx) => (await ctx.ask('who', 'Who?', name)).name })
const other = resource({ uri: 'note://2', read: async (ctx) => (await ctx.ask('who', 'Who?', name)).name })
const greeting = prompt({ args: { tone: {} }, run: async (_, ctx) => (await ctx.ask('who', 'Who?', name)).name })

type Options = { secret?: string | string[]; spentTickets?: SpentTickets }
const shop = (options: Options = {}) =>
  server({
    name: 'shop',
    version: '1',
    tools: { pay, alsoPay: pay, secretive },
    resources: { page, other },
    prompts: { greeting },
    ...options,
  })

const ten = { name: 'pay', arguments: { amount: 10 } }
const retry = (requestState: string | undefined, more: JsonObject = ten): JsonObject => ({
  ...more,
  requestState: requestState as string,
  inputResponses: yes,
})

beforeEach(() => {
  ran.length = 0
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => void vi.useRealTimers())

describe('A tampered state', () => {
  const client = new Rounder(shop())
  const flipped = (state: string, at: number) => {
    const bytes = Buffer.from(state, 'base64url')
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    return bytes.toString('base64url')
  }

  it('MRTR-008 is refused for any flipped bit, and the handler does not continue', async () => {
    const { requestState = '' } = await client.asked('tools/call', ten)
    for (let at = 0; at < Buffer.from(requestState, 'base64url').length; at++)
      expect((await client.send('tools/call', retry(flipped(requestState, at)))).error).toMatchObject({ code: -32602 })
    expect(ran).toEqual([])
    expect(textOf(await client.send('tools/call', retry(requestState)))).toBe('Ada paid 10')
  })

  it.each([
    ['cut short', (state: string) => state.slice(0, -1)],
    ['cut to nothing', () => ''],
    ['made longer', (state: string) => `${state}A`],
    ['marked', (state: string) => `${state}-TAMPERED`],
    ['padded', (state: string) => `${state}=`],
    ['no text', () => 5 as unknown as string],
    ['an object', () => ({ round: 1, answers: {} }) as unknown as string],
    ['null', () => null as unknown as string],
    ['far too long', () => 'A'.repeat(100_000)],
    [
      'JSON of ours, unsealed',
      () => Buffer.from('{"round":0,"answers":{},"effects":{},"ticket":"x","until":9e15}').toString('base64url'),
    ],
  ])('MRTR-008 is refused if it is %s', async (_, tamper) => {
    const { requestState = '' } = await client.asked('tools/call', ten)
    expect((await client.send('tools/call', retry(tamper(requestState)))).error).toMatchObject({ code: -32602 })
    expect(ran).toEqual([])
  })

  it('MRTR-008 is refused if another key sealed it, even for the same purpose', async () => {
    const { requestState } = await new Rounder(shop({ secret: 'one' })).asked('tools/call', ten)
    expect((await new Rounder(shop({ secret: 'two' })).send('tools/call', retry(requestState))).error).toMatchObject({
      code: -32602,
    })
    expect((await new Rounder(shop()).send('tools/call', retry(requestState))).error).toMatchObject({ code: -32602 })
  })

  it('is refused if it was sealed for another purpose, such as the next page of a list', async () => {
    const token = await sealer(['one']).seal('cursor:tools/list', { after: 'pay', at: 1 })
    expect((await new Rounder(shop({ secret: 'one' })).send('tools/call', retry(token))).error).toMatchObject({ code: -32602 })
  })
})

describe('A state', () => {
  it('is readable only for the server', async () => {
    const { requestState = '' } = await new Rounder(shop()).asked('tools/call', { name: 'secretive' })
    const bytes = Buffer.from(requestState, 'base64url').toString('latin1')
    for (const part of ['launch', '0000', 'round', 'ticket']) expect(bytes).not.toContain(part)
  })

  it('is never the same twice', async () => {
    const client = new Rounder(shop())
    const states = await Promise.all(Array.from({ length: 50 }, () => client.asked('tools/call', ten)))
    expect(new Set(states.map(({ requestState }) => requestState)).size).toBe(50)
  })

  it('is accepted by each replica with the same secret, and during a rotation of the secret', async () => {
    const { requestState } = await new Rounder(shop({ secret: 'old' })).asked('tools/call', ten)
    const client = new Rounder(shop({ secret: ['new', 'old'] }))
    expect(textOf(await client.send('tools/call', retry(requestState)))).toBe('Ada paid 10')
  })

  it.each([
    ['another tool', 'tools/call', { name: 'alsoPay', arguments: { amount: 10 } }],
    ['other arguments', 'tools/call', { name: 'pay', arguments: { amount: 1_000 } }],
    ['no arguments', 'tools/call', { name: 'secretive' }],
    ['another method', 'resources/read', { uri: 'note://1' }],
    ['a prompt', 'prompts/get', { name: 'greeting' }],
  ])('MRTR-009 is refused with %s', async (_, method, params) => {
    const client = new Rounder(shop())
    const { requestState } = await client.asked('tools/call', ten)
    expect((await client.send(method, retry(requestState, params as JsonObject))).error).toMatchObject({ code: -32602 })
    expect(ran).toEqual([])
  })

  it.each([
    ['resources/read', { uri: 'note://1' }, { uri: 'note://2' }],
    ['prompts/get', { name: 'greeting', arguments: { tone: 'warm' } }, { name: 'greeting', arguments: { tone: 'cold' } }],
  ])('MRTR-009 of %s is refused for another one', async (method, first, second) => {
    const client = new Rounder(shop())
    const { requestState } = await client.asked(method, first as JsonObject)
    expect((await client.send(method, retry(requestState, second as JsonObject))).error).toMatchObject({ code: -32602 })
    expect((await client.send(method, retry(requestState, first as JsonObject))).result).toMatchObject({ resultType: 'complete' })
  })

  it('MRTR-009 is valid for the same arguments in any notation', async () => {
    const client = new Rounder(shop())
    const tool = { name: 'pay', arguments: { amount: 10 } }
    const { requestState } = await client.asked('tools/call', tool)
    const same = { arguments: { amount: 10.0 }, name: 'pay' }
    expect(textOf(await client.send('tools/call', retry(requestState, same)))).toBe('Ada paid 10')
  })

  it('MRTR-009 ELIC-026 is refused from another user', async () => {
    const app = shop()
    const [ada, eve] = ['ada', 'eve'].map((id) => new Rounder(app, { caller: { id } })) as [Rounder, Rounder]
    const { requestState } = await ada.asked('tools/call', ten)
    expect((await eve.send('tools/call', retry(requestState))).error).toMatchObject({ code: -32602 })
    expect(ran).toEqual([])
    expect(textOf(await ada.send('tools/call', retry(requestState)))).toBe('Ada paid 10')
  })

  it('MRTR-009 is valid for exactly 600 seconds', async () => {
    const client = new Rounder(shop())
    const [inTime, late] = [await client.asked('tools/call', ten), await client.asked('tools/call', ten)]
    vi.advanceTimersByTime(600_000)
    expect(textOf(await client.send('tools/call', retry(inTime.requestState)))).toBe('Ada paid 10')
    vi.advanceTimersByTime(1)
    expect((await client.send('tools/call', retry(late.requestState))).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('expired'),
    })
  })

  it('is not extended by resuming: each round has its own 600 seconds', async () => {
    const client = new Rounder(shop())
    const first = await client.asked('tools/call', ten)
    vi.advanceTimersByTime(500_000)
    const second = await client.asked('tools/call', { ...ten, requestState: first.requestState as string })
    vi.advanceTimersByTime(500_000)
    expect(textOf(await client.send('tools/call', retry(second.requestState)))).toBe('Ada paid 10')
  })

  it('is refused beyond 16 KiB, by name, before it is sent', async () => {
    const big = (bytes: number) => tool({ run: () => inputRequired({ who: ask('Who?', name) }, 'x'.repeat(bytes)) })
    const app = server({ name: 'a', version: '1', tools: { fits: big(11_000), exceeds: big(13_000) } })
    const { requestState = '' } = await new Rounder(app).asked('tools/call', { name: 'fits' })
    expect(requestState.length).toBeLessThanOrEqual(16_384)
    const reply = await new Rounder(app).call('exceeds')
    expect(reply.result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('16384') }] })
  })
})

describe('A used state', () => {
  it('MRTR-010 is refused the second time', async () => {
    const client = new Rounder(shop())
    const { requestState } = await client.asked('tools/call', ten)
    await client.send('tools/call', retry(requestState))
    expect((await client.send('tools/call', retry(requestState))).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('used already'),
    })
    expect(ran).toEqual(['Ada 10'])
  })

  it('MRTR-010 is accepted for exactly one of 100 concurrent retries', async () => {
    const client = new Rounder(shop())
    const { requestState } = await client.asked('tools/call', ten)
    const replies = await Promise.all(Array.from({ length: 100 }, () => client.send('tools/call', retry(requestState))))
    expect(replies.filter(({ result }) => result)).toHaveLength(1)
    expect(replies.filter(({ error }) => error?.code === -32602)).toHaveLength(99)
    expect(ran).toEqual(['Ada 10'])
  })

  it('MRTR-010 is refused by another replica with the same store', async () => {
    const spent = new Set<string>()
    const spentTickets: SpentTickets = { claim: async (ticket) => !spent.has(ticket) && spent.add(ticket) !== undefined }
    const [here, there] = [shop({ secret: 's', spentTickets }), shop({ secret: 's', spentTickets })]
    const { requestState } = await new Rounder(here).asked('tools/call', ten)
    expect(textOf(await new Rounder(here).send('tools/call', retry(requestState)))).toBe('Ada paid 10')
    expect((await new Rounder(there).send('tools/call', retry(requestState))).error).toMatchObject({ code: -32602 })
    expect(ran).toEqual(['Ada 10'])
  })

  it('MRTR-010 is refused if the store is unavailable', async () => {
    const spentTickets = { claim: () => Promise.reject(new Error('down')) }
    const client = new Rounder(shop({ spentTickets }))
    const { requestState } = await client.asked('tools/call', ten)
    expect(textOf(await client.send('tools/call', retry(requestState)))).toMatch(/cannot be accepted now.* try again/)
    expect(ran).toEqual([])
  })

  it('is forgotten after it has expired, so that the store stays small', async () => {
    const { memoryTickets: spentHere } = await import('../../../src/server/questions/spent-tickets.js')
    let [wall, passed] = [0, 0]
    const spent = spentHere(
      () => wall,
      () => passed,
    )
    for (let at = 0; at < 1_000; at++) expect(spent.claim(`old ${at}`, 60_000)).toBe(true)
    ;[wall, passed] = [600_001, 600_001]
    expect(spent.claim('new', wall + 60_000)).toBe(true)
    // A remembered ticket is refused, so claiming the old ones proves that they were removed. Their states have expired anyway.
    expect(spent.claim('old 0', wall + 60_000)).toBe(true)
    expect(spent.claim('new', wall + 60_000)).toBe(false)
    // A clock that was ahead for a minute, or is set back, permits no second claim of a valid ticket.
    ;[wall, passed] = [wall + 3_600_000, passed + 60_000]
    expect(spent.claim('meanwhile', wall + 60_000)).toBe(true)
    ;[wall, passed] = [wall - 3_600_000, passed + 1]
    expect(spent.claim('new', wall + 60_000)).toBe(false)
    expect(spent.claim('meanwhile', wall + 60_000)).toBe(false)
  })
})

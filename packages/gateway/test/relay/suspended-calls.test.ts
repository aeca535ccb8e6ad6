// Suspended calls, which wait for an answer in another request: ownership, timeouts, and outcomes.

import { getHeapStatistics } from 'node:v8'
import type { JsonObject } from 'toolwire'
import type { Answering } from 'toolwire/relay'
import { harness } from 'toolwire/testing'
import { describe, expect, it } from 'vitest'
import { AggregateServer } from '../../src/catalog/aggregate-server.js'
import { SuspendedCalls } from '../../src/relay/suspended-calls.js'
import { SuspendedCall } from '../../src/upstreams/suspended-call.js'
import { asking, askingServer, client, eventually, gateway, modern, upstream, words } from '../support/upstream-fixture.js'

const about = { name: 'gateway', version: '1.0.0' }
const answer = { inputResponses: { 'question-1': { action: 'accept', content: { people: 2 } } } }
const book = { name: 'asking__book', arguments: { at: 'noon' } }

/** An aggregate server with an older server over HTTP, and in-memory clients of the newest revision. */
async function withSuspendedCalls(server = '2025-11-25', limits: ConstructorParameters<typeof SuspendedCalls>[0] = {}) {
  const { target, done } = await askingServer(server, 'http')
  const suspended = new SuspendedCalls(limits)
  const offer = new AggregateServer({ upstreams: [upstream('asking', target)], server: about, suspendedCalls: suspended })
  await offer.open()
  const caller = (id: string) => harness(offer.server, { revision: modern, caller: { id }, answers: {} })
  return { offer, suspended, done, caller }
}

/** The first round of a call, which returns a question. */
async function begin(t: Awaited<ReturnType<typeof harness>>, args: JsonObject = book.arguments): Promise<JsonObject> {
  const before = t.frames.length
  await t.call(book.name, args).catch(() => undefined) // the test gives no answer
  const frame = t.frames.slice(before).find(({ message }) => (message as JsonObject).result !== undefined)
  return (frame?.message as JsonObject).result as JsonObject
}

describe('a suspended call', () => {
  it('GW-004 GW-005 is resumed by its caller with the sealed state, and made once', async () => {
    const { caller, done, suspended } = await withSuspendedCalls()
    const t = await caller('ada')
    const { resultType, inputRequests, requestState } = await begin(t)
    expect(resultType).toBe('input_required')
    expect(inputRequests).toMatchObject({
      'question-1': {
        method: 'elicitation/create',
        params: { message: expect.stringMatching(/^The server "\w+" asks this, in its own words:\n> For how many\?$/) },
      },
    })
    expect(suspended.size).toBe(1)
    const result = await t.request('tools/call', { ...book, ...answer, requestState: requestState! })
    expect(words(result as never)).toBe('booked at noon for 2')
    expect(done).toEqual({ begun: 1, booked: 1 })
    expect(suspended.size).toBe(0)
  })

  it('GW-005 is not resumed by others, with other arguments, after a change, or a second time', async () => {
    const { caller, done } = await withSuspendedCalls()
    const ada = await caller('ada')
    const { requestState } = await begin(ada)
    const again = { ...book, ...answer, requestState: requestState! }
    const grace = await caller('grace')
    await expect(grace.request('tools/call', again)).rejects.toThrow('requestState')
    await expect(ada.request('tools/call', { ...again, arguments: { at: 'night' } })).rejects.toThrow('requestState')
    const altered = `${String(requestState).slice(0, -4)}AAAA`
    await expect(ada.request('tools/call', { ...again, requestState: altered })).rejects.toThrow('requestState')
    expect(words((await ada.request('tools/call', again)) as never)).toBe('booked at noon for 2')
    await expect(ada.request('tools/call', again)).rejects.toThrow('used already')
    expect(done).toEqual({ begun: 1, booked: 1 })
  })

  it('is not repeated after it was lost: the caller learns that the outcome is unknown', async () => {
    const secret = 'the same before and after'
    const { target, done } = await askingServer('2025-11-25', 'http')
    const open = async () => {
      const offer = new AggregateServer({ upstreams: [upstream('asking', target)], server: { ...about, secret } })
      await offer.open()
      return harness(offer.server, { revision: modern, caller: { id: 'ada' }, answers: {} })
    }
    const { requestState } = await begin(await open())
    const result = await (await open()).request('tools/call', { ...book, ...answer, requestState: requestState! })
    expect(result.isError).toBe(true)
    expect(words(result as never)).toContain('outcome_unknown')
    expect(done).toEqual({ begun: 1 })
  })

  it('is cancelled after a timeout, also at the upstream', async () => {
    const { caller, suspended, done } = await withSuspendedCalls('2025-11-25', { keepMs: 100 })
    const t = await caller('ada')
    const { requestState } = await begin(t)
    await eventually(() => suspended.size === 0)
    const result = await t.request('tools/call', { ...book, ...answer, requestState: requestState! })
    expect(words(result as never)).toContain('outcome_unknown')
    expect(done).toEqual({ begun: 1 })
  })

  it('counts against a limit for each caller', async () => {
    const { caller, suspended } = await withSuspendedCalls('2025-11-25', { mostEach: 2 })
    const ada = await caller('ada')
    for (let calls = 0; calls < 2; calls++) await begin(ada)
    const third = await begin(ada)
    expect(third.isError).toBe(true)
    expect(words(third as never)).toContain('2 of your calls already wait for answers')
    expect((await begin(await caller('grace'))).resultType).toBe('input_required')
    expect(suspended.size).toBe(3)
  })
})

describe('suspended calls', () => {
  it('have a limit of bytes for each caller, with their arguments and questions', async () => {
    const { caller, suspended } = await withSuspendedCalls('2025-11-25', { mostBytesEach: 2_500 })
    const large = { at: 'x'.repeat(800) }
    const [ada, grace] = [await caller('ada'), await caller('grace')]
    for (let calls = 0; calls < 2; calls++) expect((await begin(ada, large)).resultType).toBe('input_required')
    const third = await begin(ada, large)
    expect(third.isError).toBe(true)
    expect(words(third as never)).toContain('Your calls that wait for answers are too large')
    expect((await begin(grace, large)).resultType).toBe('input_required')
    expect(suspended.size).toBe(3)
  })

  it('have a limit of bytes for all callers', async () => {
    const { caller, suspended } = await withSuspendedCalls('2025-11-25', { mostBytes: 2_500 })
    const large = { at: 'x'.repeat(800) }
    for (const id of ['ada', 'grace']) expect((await begin(await caller(id), large)).resultType).toBe('input_required')
    expect(words((await begin(await caller('eve'), large)) as never)).toContain('Try again later')
    expect(suspended.size).toBe(2)
  })
})

describe('a stored suspended call', () => {
  const waiting = () => {
    const call = new SuspendedCall<string>(
      ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      { meta: {}, asks: {}, onBehalfOf: 'ada' },
    )
    return call
  }

  it('GW-005 GW-015 is found only by its own caller, and not after its removal', async () => {
    const suspended = new SuspendedCalls()
    const call = waiting()
    const id = suspended.keep(call, 'ada')
    expect(suspended.find(id, 'grace')).toBeUndefined()
    expect(suspended.find(id, 'ada')).toBe(call)
    suspended.forget(id)
    expect(suspended.find(id, 'ada')).toBeUndefined()
  })

  it('does not time out while its caller is connected', async () => {
    const suspended = new SuspendedCalls({ keepMs: 30 })
    const id = suspended.keep(waiting(), 'ada')
    suspended.wait(id)
    expect(suspended.find(id, 'ada')).toBeDefined()
    await new Promise((resolve) => setTimeout(resolve, 80))
    expect(suspended.size).toBe(1)
    suspended.wait(id)
    await eventually(() => suspended.size === 0)
  })

  it('has a total limit of bytes by the size of the heap, over any callers', () => {
    const suspended = new SuspendedCalls()
    const bytes = 4 * 1024 * 1024
    let held = 0
    const hold = () => {
      suspended.measure(suspended.keep(waiting(), `caller ${held}`), bytes)
      held += bytes
    }
    expect(() => {
      while (held <= 256 * 1024 * 1024) hold()
    }).toThrow('are too large')
    expect(held).toBeLessThanOrEqual(getHeapStatistics().heap_size_limit / 64)
    suspended.close()
  })

  it('fails when the gateway closes', async () => {
    const suspended = new SuspendedCalls()
    const call = waiting()
    suspended.keep(call, 'ada')
    suspended.close()
    expect(await call.next()).toMatchObject({ kind: 'failed' })
    expect(suspended.size).toBe(0)
  })
})

describe('a caller that cannot be asked', () => {
  it.each(asking)('GW-004 gets the missing capability in the form of its revision: a server of %s', async (server) => {
    const { target } = await askingServer(server, 'http')
    const { url } = await gateway([upstream('asking', target)])
    const newest = await client(url, { revision: modern })
    await expect(newest.call('asking__book', { at: 'noon' })).rejects.toMatchObject({
      code: -32_021,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    })
    const old = await client(url, { revision: '2025-11-25' })
    const result = await old.call('asking__book', { at: 'noon' })
    expect(result.isError).toBe(true)
    expect(words(result)).toContain('elicitation')
  })

  it.each(asking)('differs from one that declines, whose answer reaches a server of %s', async (server) => {
    const { target, done } = await askingServer(server, 'http')
    const { url } = await gateway([upstream('asking', target)])
    for (const revision of asking) {
      const one = await client(url, { revision, answers: { form: () => ({ action: 'decline' }) } })
      const result = await one.call('asking__book', { at: 'noon' })
      expect(words(result)).toContain('declined')
    }
    expect(done.booked).toBeUndefined()
  })
})

describe('callers that share an upstream', () => {
  const people = (count: number): Answering => ({ form: () => ({ action: 'accept', content: { people: count } }) })

  it.each(asking)('GW-015 are each asked only about their own calls, by a server of %s over HTTP', async (server) => {
    const { target } = await askingServer(server, 'http')
    const { url } = await gateway([upstream('asking', target)])
    const calls = [1, 2, 3, 4, 5, 6].map(async (count) => {
      const one = await client(url, { revision: asking[count % asking.length]!, answers: people(count) })
      return words(await one.call('asking__book', { at: `table ${count}` }))
    })
    expect(await Promise.all(calls)).toEqual([1, 2, 3, 4, 5, 6].map((count) => `booked at table ${count} for ${count}`))
  })

  it('GW-015 are not asked if an older server over stdio does not tell to which call its question belongs', async () => {
    const { target } = await askingServer('2025-11-25', 'pipe')
    const { url } = await gateway([upstream('asking', target)])
    const waiting = new AbortController()
    const ada = await client(url, { revision: '2025-11-25', answers: people(1) })
    const grace = await client(url, { revision: '2025-11-25', answers: people(2) })
    const held = ada.call('asking__wait', {}, { signal: waiting.signal })
    await expect.poll(async () => words(await grace.call('asking__counts'))).toContain('waits')
    const result = await grace.call('asking__book', { at: 'noon' })
    expect(result.isError).toBe(true)
    expect(words(result)).toContain('the question names none of them')
    waiting.abort()
    await expect(held).rejects.toMatchObject({ code: 'cancelled' })
  })
})

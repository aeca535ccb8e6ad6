import { describe, expect, it } from 'vitest'
import type { ApprovalAnswer } from '../../../src/policy/approve/approval.js'
import { memoryApprovals } from '../../../src/policy/approve/memory-store.js'
import { asked } from './pending-approval.js'

const open = () => new AbortController().signal

/** A store with one request and a manual clock. */
function kept(given: Parameters<typeof asked>[0] = {}) {
  const clock = { now: 0 }
  const store = memoryApprovals(() => clock.now)
  const request = asked(given)
  expect(store.add(request, 100)).toBe('added')
  return { clock, store, request }
}

describe('a decision', () => {
  it('is made once, by the first answer', () => {
    const { store, request } = kept()
    expect(store.decide(request.id, 'deny')).toBe(true)
    expect(store.decide(request.id, 'allow')).toBe(false)
    expect(store.release(request.id, request.digest)).toBe(false)
  })

  it('is used once, by the holder of the digest', () => {
    const { store, request } = kept()
    expect(store.release(request.id, request.digest)).toBe(false)
    store.decide(request.id, 'allow')
    expect(store.release(request.id, request.callDigest)).toBe(false)
    expect(store.release(request.id, request.digest)).toBe(true)
    expect(store.release(request.id, request.digest)).toBe(false)
    expect(store.decide(request.id, 'allow')).toBe(false)
  })

  it('is void after the time limit, and so is its use', () => {
    const { store, request, clock } = kept()
    const other = asked()
    store.add(other, 100)
    store.decide(other.id, 'allow')
    clock.now += 300_001
    expect(store.decide(request.id, 'allow')).toBe(false)
    expect(store.release(other.id, other.digest)).toBe(false)
    expect(store.pending()).toEqual([])
  })

  it.each([
    undefined,
    'yes',
    { allow: 1 },
    {},
    { allow: true, always: { forMs: -1 } },
  ])('that is not a clear approval is a denial: %o', (answer) => {
    const { store, request } = kept()
    expect(store.decide(request.id, answer as ApprovalAnswer)).toBe(true)
    expect(store.release(request.id, request.digest)).toBe(false)
  })

  it('has no effect on a withdrawn or unknown request', async () => {
    const { store, request } = kept()
    store.withdraw(request.id)
    store.withdraw('another')
    expect(store.decide(request.id, 'allow')).toBe(false)
    expect(store.decide('another', 'allow')).toBe(false)
    expect(await store.settled(request.id, open())).toEqual({ state: 'gone' })
  })
})

describe('a waiter', () => {
  it('is notified at once with the whole answer, even if it arrives later', async () => {
    const { store, request } = kept()
    const waiting = [store.settled(request.id, open()), store.settled(request.id, open())]
    store.decide(request.id, { allow: true, always: { forMs: 5 } })
    const allowed = { state: 'allowed', always: { forMs: 5 } }
    expect(await Promise.all([...waiting, store.settled(request.id, open())])).toEqual([allowed, allowed, allowed])
    const denied = kept()
    denied.store.decide(denied.request.id, { deny: 'not\u200b now' })
    expect(await denied.store.settled(denied.request.id, open())).toEqual({ state: 'denied', why: 'not\\u{200b} now' })
  })

  it('is notified when the time limit has passed, and not before, even if timers and the clock differ', async () => {
    const store = memoryApprovals(() => performance.now() / 2)
    const request = asked({ expiresAt: Date.now() + 20 })
    store.add(request, 100)
    expect(await store.settled(request.id, open())).toEqual({ state: 'expired' })
    expect(store.decide(request.id, 'allow')).toBe(false)
  })

  it('stops waiting when it is aborted', async () => {
    const { store, request } = kept()
    const controller = new AbortController()
    const waiting = store.settled(request.id, controller.signal)
    controller.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    await expect(store.settled(request.id, controller.signal)).rejects.toThrow('gone')
    expect(store.decide(request.id, 'allow')).toBe(true)
  })

  it('is notified of every change, in every console', () => {
    const { store, request } = kept()
    const notified: string[] = []
    const stop = store.onChange(() => notified.push('one'))
    store.onChange(() => notified.push('two'))
    store.decide(request.id, 'allow')
    expect(notified).toEqual(['one', 'two'])
    stop()
    store.add(asked(), 100)
    expect(notified).toEqual(['one', 'two', 'two'])
  })
})

describe('the store', () => {
  it('lists the oldest requests first, by page, with all details for a person', async () => {
    const { store, request } = kept()
    const more = Array.from({ length: 150 }, () => asked({ caller: 'bob' }))
    for (const one of more) store.add(one, 1_000)
    expect(store.pending()).toHaveLength(100)
    expect(store.pending(2)).toEqual([request, more[0]])
    store.decide(request.id, 'allow')
    expect(store.pending(1)).toEqual([more[0]])
    expect(Object.isFrozen((await store.pending(1))[0])).toBe(true)
  })

  it('limits the pending requests of each caller', () => {
    const { store, request } = kept()
    expect(store.add(asked(), 2)).toBe('added')
    expect(store.add(asked(), 2)).toBe('full')
    expect(store.add(asked({ caller: 'bob' }), 2)).toBe('added')
    store.decide(request.id, 'deny')
    expect(store.add(asked(), 2)).toBe('added')
  })

  it('limits all requests, and frees room when they expire', () => {
    const { store, clock } = kept()
    for (let n = 1; n < 10_000; n++) store.add(asked({ caller: `caller ${n}` }), 1)
    expect(store.add(asked({ caller: 'one more' }), 1)).toBe('full')
    clock.now += 300_001
    expect(store.add(asked({ caller: 'one more' }), 1)).toBe('added')
  })

  it('shares one request among identical calls that do not wait, until its approval is used', () => {
    const { store, request } = kept({ held: false, callDigest: 'same' })
    expect(store.add(asked({ held: false, callDigest: 'same' }), 100)).toBe('known')
    expect(store.matching('same')).toMatchObject({ asked: request, is: { state: 'pending' } })
    store.decide(request.id, 'allow')
    expect(store.matching('same')).toMatchObject({ is: { state: 'allowed' } })
    store.release(request.id, request.digest)
    expect(store.matching('same')).toBeUndefined()
    expect(store.add(asked({ held: false, callDigest: 'same' }), 100)).toBe('added')
  })

  it('never gives the approval of a waiting call to another one', () => {
    const { store, request } = kept({ held: true, callDigest: 'same' })
    store.decide(request.id, 'allow')
    expect(store.matching('same')).toBeUndefined()
    expect(store.add(asked({ held: true, callDigest: 'same' }), 100)).toBe('added')
  })

  it('deletes a denial after its time limit', () => {
    const { store, request, clock } = kept({ held: false, callDigest: 'same' })
    store.decide(request.id, 'deny')
    expect(store.matching('same')).toMatchObject({ is: { state: 'denied' } })
    clock.now += 300_001
    expect(store.matching('same')).toBeUndefined()
  })
})

describe('long arguments', () => {
  const long = (caller: string, display = 'x'.repeat(20_000)) => asked({ caller, display })
  const storeFor = (each: number, all: number) => memoryApprovals(() => 0, { each, all })

  it('count towards a limit per caller and a total limit', () => {
    const store = storeFor(40_000, 50_000)
    expect([long('eve'), long('eve'), long('eve')].map((one) => store.add(one, 100))).toEqual(['added', 'added', 'full'])
    expect(store.add(long('bob'), 100)).toBe('full')
    expect(store.add(asked({ caller: 'eve' }), 100)).toBe('added')
  })

  it('free room when other requests are released, withdrawn or expired', () => {
    const clock = { now: 0 }
    const store = memoryApprovals(() => clock.now, { each: 20_000, all: 20_000 })
    const [first, second, third] = [long('eve'), long('eve'), long('bob')]
    store.add(first, 100)
    store.decide(first.id, 'allow')
    expect(store.add(second, 100)).toBe('full')
    store.release(first.id, first.digest)
    expect(store.add(second, 100)).toBe('added')
    expect(store.add(third, 100)).toBe('full')
    store.withdraw(second.id)
    expect(store.add(third, 100)).toBe('added')
    clock.now += 300_001
    expect(store.add(long('eve'), 100)).toBe('added')
  })

  it('of a single request are always accepted', () => {
    expect(storeFor(10, 10).add(long('eve'), 100)).toBe('added')
  })

  it('are limited by default, while short ones are only limited in number', () => {
    const store = memoryApprovals()
    const megabytes = 'x'.repeat(4 * 1024 * 1024)
    const added = ['eve', 'eve', 'eve', 'bob', 'bob', 'ida'].map((caller) => store.add(long(caller, megabytes), 100))
    expect(added).toEqual(['added', 'added', 'full', 'added', 'added', 'full'])
    for (let at = 0; at < 5_000; at++)
      expect(store.add(asked({ caller: `c${at}`, display: megabytes.slice(0, 16_384) }), 100)).toBe('added')
  })
})

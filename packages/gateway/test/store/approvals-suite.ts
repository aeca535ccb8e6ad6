// The behavior of every store of approvals.
import type { ApprovalAnswer, ApprovalStore, PendingApproval } from 'toolwire/guard'
import { describe, expect, it } from 'vitest'
import { asked } from '../support/approval-requests.js'

/** A new store, which contains `kept` allowed requests that outlast the test: all of `caller`, or else each of another one. */
export type OpenApprovals = (
  kept?: number,
  caller?: string,
) => Promise<{
  readonly store: ApprovalStore
  readonly wait: (ms: number) => void | Promise<void>
}>

const open = () => new AbortController().signal
const overMs = 300_001

export function approvalsSuite(name: string, opened: OpenApprovals): void {
  async function kept(given: Partial<PendingApproval> = {}, others?: number) {
    const request = asked(given)
    const { store, wait } = await opened(others)
    expect(await store.add(request, 100)).toBe('added')
    return { store, wait, request }
  }

  describe(`${name}: a decision`, () => {
    it('is made once; the first one counts', async () => {
      const { store, request } = await kept()
      expect(await store.decide(request.id, 'deny')).toBe(true)
      expect(await store.decide(request.id, 'allow')).toBe(false)
      expect(await store.release(request.id, request.digest)).toBe(false)
    })

    it('is made once of many at the same time, and used once', async () => {
      const { store, request } = await kept()
      const decided = await Promise.all(Array.from({ length: 50 }, () => store.decide(request.id, 'allow')))
      expect(decided.filter(Boolean)).toHaveLength(1)
      const released = await Promise.all(Array.from({ length: 50 }, () => store.release(request.id, request.digest)))
      expect(released.filter(Boolean)).toHaveLength(1)
    })

    it('is used once, by a call with the same digest', async () => {
      const { store, request } = await kept()
      expect(await store.release(request.id, request.digest)).toBe(false)
      await store.decide(request.id, 'allow')
      expect(await store.release(request.id, request.callDigest)).toBe(false)
      expect(await store.release(request.id, request.digest)).toBe(true)
      expect(await store.release(request.id, request.digest)).toBe(false)
      expect(await store.decide(request.id, 'allow')).toBe(false)
    })

    it('applies to one identical call after the held call was left', async () => {
      const { store, request, wait } = await kept({ held: true })
      const other = asked({ held: true, callDigest: request.callDigest })
      await store.add(other, 100)
      expect(await store.matching(request.callDigest)).toBeUndefined()
      expect(await store.leave?.(request.id)).toBe(true)
      expect((await store.matching(request.callDigest))?.asked).toMatchObject({ id: request.id, held: false })
      expect(await store.leave?.(other.id)).toBe(false)
      expect(await store.decide(request.id, 'allow')).toBe(true)
      expect(await store.release(request.id, request.digest)).toBe(true)
      await wait(overMs)
      expect(await store.leave?.(other.id)).toBe(false)
    })

    it('has no effect after the request expires, and cannot be used then', async () => {
      const { store, request, wait } = await kept()
      const other = asked()
      await store.add(other, 100)
      await store.decide(other.id, 'allow')
      await wait(overMs)
      expect(await store.decide(request.id, 'allow')).toBe(false)
      expect(await store.release(other.id, other.digest)).toBe(false)
      expect(await store.pending()).toEqual([])
      expect(await store.settled(request.id, open())).toEqual({ state: 'expired' })
    })

    it.each([
      undefined,
      'yes',
      { allow: 1 },
      {},
      { allow: true, always: { forMs: -1 } },
    ])('that is not a clear yes is a no: %o', async (answer) => {
      const { store, request } = await kept()
      expect(await store.decide(request.id, answer as ApprovalAnswer)).toBe(true)
      expect(await store.release(request.id, request.digest)).toBe(false)
    })

    it('has no effect on a withdrawn or unknown request', async () => {
      const { store, request } = await kept()
      await store.withdraw(request.id)
      await store.withdraw('another')
      expect(await store.decide(request.id, 'allow')).toBe(false)
      expect(await store.decide('another', 'allow')).toBe(false)
      expect(await store.settled(request.id, open())).toEqual({ state: 'gone' })
    })
  })

  describe(`${name}: a waiting caller`, () => {
    it('receives the decision at once with its message, and so does a later one', async () => {
      const { store, request } = await kept()
      const waiting = [store.settled(request.id, open()), store.settled(request.id, open())]
      await store.decide(request.id, { allow: true, always: { forMs: 5, arguments: { type: 'object' } } })
      const allowed = { state: 'allowed', always: { forMs: 5, arguments: { type: 'object' } } }
      expect(await Promise.all([...waiting, store.settled(request.id, open())])).toEqual([allowed, allowed, allowed])
      const denied = await kept()
      await denied.store.decide(denied.request.id, { deny: 'not\u200b now' })
      expect(await denied.store.settled(denied.request.id, open())).toEqual({ state: 'denied', why: 'not\\u{200b} now' })
    })

    it('learns that the request has expired, and later decisions have no effect', async () => {
      const { store } = await opened()
      const requests = Array.from({ length: 40 }, (_, index) => asked({ expiresAt: Date.now() + 50 + index * 2.3 }))
      const decided = requests.map(async (request) => {
        await store.add(request, 100)
        expect(await store.settled(request.id, open())).toEqual({ state: 'expired' })
        return store.decide(request.id, 'allow')
      })
      expect(await Promise.all(decided)).toEqual(requests.map(() => false))
    })

    it('stops waiting on abort', async () => {
      const { store, request } = await kept()
      const controller = new AbortController()
      const waiting = store.settled(request.id, controller.signal)
      controller.abort(new Error('gone'))
      await expect(waiting).rejects.toThrow('gone')
      await expect(store.settled(request.id, controller.signal)).rejects.toThrow('gone')
      expect(await store.decide(request.id, 'allow')).toBe(true)
    })

    it('is called back for every change, in every console', async () => {
      const { store, request } = await kept()
      const callbacks: string[] = []
      const stop = store.onChange(() => callbacks.push('one'))
      store.onChange(() => callbacks.push('two'))
      await store.decide(request.id, 'allow')
      expect(callbacks).toEqual(['one', 'two'])
      stop()
      await store.add(asked(), 100)
      expect(callbacks).toEqual(['one', 'two', 'two'])
    })
  })

  describe(`${name}: the requests`, () => {
    it('are listed oldest first, page by page, with all details for a person', async () => {
      const { store, request } = await kept()
      const more = Array.from({ length: 150 }, () => asked({ caller: 'bob', arguments: { odd: '\u202e\u0000"\ud800' } }))
      for (const one of more) await store.add(one, 1_000)
      expect(await store.pending()).toHaveLength(100)
      expect(await store.pending(2)).toEqual([request, more[0]])
      await store.decide(request.id, 'allow')
      expect(await store.pending(1)).toEqual([more[0]])
      expect(Object.isFrozen((await store.pending(1))[0])).toBe(true)
    })

    it('are limited for each caller by the pending ones', async () => {
      const { store, request } = await kept()
      expect(await store.add(asked(), 2)).toBe('added')
      expect(await store.add(asked(), 2)).toBe('full')
      expect(await store.add(asked({ caller: 'bob' }), 2)).toBe('added')
      await store.decide(request.id, 'deny')
      expect(await store.add(asked(), 2)).toBe('added')
    })

    it('are limited in total, and expired ones make room', async () => {
      const { store, wait } = await kept({}, 9_999)
      expect(await store.add(asked({ caller: 'one more' }), 1)).toBe('full')
      await wait(overMs)
      expect(await store.add(asked({ caller: 'one more' }), 1)).toBe('added')
      expect(await store.add(asked({ caller: 'another one' }), 1)).toBe('full')
    })

    it('of one caller take at most half of the room, with those that are decided', async () => {
      const { store, wait } = await opened(4_999, 'eve')
      const add = async (caller: string) => {
        const request = asked({ caller, held: false })
        const added = await store.add(request, 100)
        await store.decide(request.id, 'deny')
        return added
      }
      expect([await add('eve'), await add('eve'), await add('ada')]).toEqual(['added', 'full', 'added'])
      await wait(overMs)
      expect([await add('eve'), await add('eve')]).toEqual(['added', 'full'])
    })

    it('contain one for identical calls that are not held, until its approval is used', async () => {
      const { store, request } = await kept({ held: false, callDigest: 'same' })
      expect(await store.add(asked({ held: false, callDigest: 'same' }), 100)).toBe('known')
      expect(await store.matching('same')).toMatchObject({ asked: request, is: { state: 'pending' } })
      await store.decide(request.id, 'allow')
      expect(await store.matching('same')).toMatchObject({ is: { state: 'allowed' } })
      await store.release(request.id, request.digest)
      expect(await store.matching('same')).toBeUndefined()
      expect(await store.add(asked({ held: false, callDigest: 'same' }), 100)).toBe('added')
    })

    it('never give the approval of a held call to another one', async () => {
      const { store, request } = await kept({ held: true, callDigest: 'same' })
      await store.decide(request.id, 'allow')
      expect(await store.matching('same')).toBeUndefined()
      expect(await store.add(asked({ held: true, callDigest: 'same' }), 100)).toBe('added')
    })

    it('forget a denial after it expires', async () => {
      const { store, request, wait } = await kept({ held: false, callDigest: 'same' })
      await store.decide(request.id, 'deny')
      expect(await store.matching('same')).toMatchObject({ is: { state: 'denied' } })
      await wait(overMs)
      expect(await store.matching('same')).toBeUndefined()
      expect(await store.add(asked({ held: false, callDigest: 'same' }), 100)).toBe('added')
    })
  })
}

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryApprovals } from '../../src/policy/approve/memory-store.js'
import type { ApprovalStore } from '../../src/policy/approve/store.js'
import '../reported-faults.js'
import { asked } from '../policy/approve/pending-approval.js'
import { howMany } from '../soak.js'
import { overStores } from './over-stores.js'

const never = new AbortController().signal
const count = (answers: readonly unknown[]) => answers.filter((answer) => answer === true).length

describe('shared approvals', () => {
  overStores<ApprovalStore>(
    { memory: () => memoryApprovals(), postgres: (stores) => stores.approvals },
    (replicas, pool) => {
      const [one, other, third] = [0, 1, 2] as const
      const at = (replica: 0 | 1 | 2) => replicas()[replica]

      it('are decided on any replica, and the waiting call is notified', async () => {
        const request = asked({ caller: 'ada\0', arguments: { text: '\0\ud800' } })
        expect(await at(one).add(request, 10)).toBe('added')
        const waiting = at(one).settled(request.id, never)
        expect(await at(other).pending()).toContainEqual(request)
        const always = { forMs: 60_000, arguments: { type: 'object' } }
        expect(await at(third).decide(request.id, { allow: true, always })).toBe(true)
        expect(await waiting).toEqual({ state: 'allowed', always })
        expect(await at(other).release(request.id, 'of another call')).toBe(false)
        expect(await at(other).release(request.id, request.digest)).toBe(true)
        expect(await at(third).release(request.id, request.digest)).toBe(false)
        expect(await at(one).settled(request.id, never)).toMatchObject({ state: expect.stringMatching(/released|gone/) })
      })

      it('return the reason of a denial, and a special outcome for unknown requests', async () => {
        const request = asked()
        await at(one).add(request, 10)
        const waiting = at(other).settled(request.id, never)
        await at(third).decide(request.id, { deny: 'Not\0today' })
        expect(await waiting).toMatchObject({ state: 'denied', why: expect.stringContaining('today') })
        expect(await at(one).settled('nobody\0', never)).toEqual({ state: 'gone' })
        expect(await at(one).decide('nobody\0', 'allow')).toBe(false)
      })

      it('have limited room for long arguments, of each caller and of all, and always room for one', async () => {
        const long = (caller: string) => {
          const values = { text: 'x'.repeat(6 * 1_024 * 1_024) }
          return asked({ caller, arguments: values, display: JSON.stringify(values) })
        }
        const [first, bobs, idas] = [long('eve'), long('bob'), long('ida')]
        for (const [request, answer] of [
          [first, 'added'],
          [long('eve'), 'full'],
          [asked({ caller: 'eve' }), 'added'],
          [bobs, 'added'],
          [idas, 'full'],
        ] as const)
          expect(await at(one).add(request, 100), request.caller).toBe(answer)
        await at(other).withdraw(bobs.id)
        expect(await at(third).add(idas, 100)).toBe('added')
        for (const { id } of [first, idas]) await at(one).withdraw(id)
      })

      it('are decided once and used once, for any interleaving of three replicas', async () => {
        const acts = fc.array(
          fc.record({
            replica: fc.constantFrom(one, other, third),
            act: fc.constantFrom('allow' as const, 'deny' as const, 'release' as const, 'withdraw' as const),
          }),
          { minLength: 1, maxLength: 10 },
        )
        await fc.assert(
          fc.asyncProperty(acts, fc.boolean(), async (taken, atOnce) => {
            const request = asked()
            await at(one).add(request, 10_000)
            const act = async ({ replica, act: what }: (typeof taken)[number]) => {
              const store = at(replica)
              if (what === 'withdraw') return void (await store.withdraw(request.id))
              if (what === 'release') return { released: await store.release(request.id, request.digest) }
              return { decided: await store.decide(request.id, what), what }
            }
            const results: Awaited<ReturnType<typeof act>>[] = []
            if (atOnce) results.push(...(await Promise.all(taken.map(act))))
            else for (const step of taken) results.push(await act(step))
            const last = await Promise.all([
              at(other).release(request.id, request.digest),
              at(third).release(request.id, request.digest),
            ])
            const decided = results.flatMap((result) => (result && 'decided' in result && result.decided ? [result.what] : []))
            const released = count([...results.map((result) => result && 'released' in result && result.released), ...last])
            expect(decided.length).toBeLessThanOrEqual(1)
            expect(released).toBeLessThanOrEqual(decided[0] === 'allow' ? 1 : 0)
            await at(one).withdraw(request.id)
          }),
          { numRuns: howMany(25, 200) },
        )
      })

      it('exist once for identical repeated calls', async () => {
        const callDigest = asked().callDigest
        const requests = [one, other, third, one, other, third].map((replica) => ({
          replica,
          request: asked({ held: false, callDigest }),
        }))
        const added = await Promise.all(requests.map(({ replica, request }) => at(replica).add(request, 10)))
        expect(added.sort()).toEqual(['added', 'known', 'known', 'known', 'known', 'known'])
        const found = await at(other).matching(callDigest)
        expect(found?.is).toEqual({ state: 'pending' })
        expect(await at(third).decide(found?.asked.id ?? '', 'allow')).toBe(true)
        expect((await at(one).matching(callDigest))?.is).toEqual({ state: 'allowed' })
        expect(await at(one).release(found?.asked.id ?? '', found?.asked.digest ?? '')).toBe(true)
        expect(await at(other).matching(callDigest)).toBeUndefined()
        expect(await at(other).add(asked({ held: false, callDigest }), 10)).toBe('added')
      })

      it('are kept for a later call once', async () => {
        const { callDigest } = asked()
        const requests = [asked({ callDigest }), asked({ callDigest }), asked({ callDigest })]
        for (const [index, request] of requests.entries()) await at(index as 0 | 1 | 2).add(request, 10)
        expect(count(await Promise.all(requests.map(({ id }, index) => at(index as 0 | 1 | 2).leave?.(id))))).toBe(1)
        expect((await at(one).matching(callDigest))?.asked.held).toBe(false)
      })

      it('expire, and free their room', async () => {
        const { callDigest } = asked()
        const request = asked({ held: false, callDigest, caller: 'brief', expiresAt: Date.now() + 3_000 })
        expect(await at(one).add(request, 1)).toBe('added')
        expect(await at(other).add(asked({ caller: 'brief' }), 1)).toBe('full')
        expect(await at(other).settled(request.id, never)).toEqual({ state: 'expired' })
        expect(await at(third).decide(request.id, 'allow')).toBe(false)
        expect(await at(third).add(asked({ held: false, callDigest, caller: 'brief' }), 1)).toBe('added')
      })

      it('of one caller take at most half of the room, with those that are decided', async () => {
        const add = async (caller: string) => {
          const request = asked({ caller, held: false })
          const added = await at(one).add(request, 10)
          await at(other).decide(request.id, 'deny')
          return { added, id: request.id }
        }
        const { id } = await add('greedy')
        if (pool)
          await pool().query(
            `INSERT INTO toolwire.shared_approvals (id, call_digest, digest, caller, asked, held, open, state, until)
             SELECT id || n, call_digest || n, digest, caller, asked, held, open, state, until
             FROM toolwire.shared_approvals, generate_series(2, 4999) AS n WHERE id = $1`,
            [id],
          )
        else for (let n = 2; n < 5_000; n++) await add('greedy')
        const added = [await add('greedy'), await add('greedy'), await add('modest')].map((each) => each.added)
        expect(added).toEqual(['added', 'full', 'added'])
      })

      it('notify each listener of changes until it unsubscribes', async () => {
        let notifications = 0
        const stop = at(other).onChange(() => notifications++)
        let request = asked()
        // A request that was added before the first poll is not reported.
        const added = async () => {
          request = asked()
          await at(one).add(request, 10)
          return notifications
        }
        await expect.poll(added, { interval: 300 }).toBeGreaterThan(0)
        const before = notifications
        await at(third).decide(request.id, 'deny')
        await expect.poll(() => notifications).toBeGreaterThan(before)
        stop()
      })

      it('stop waiting when the wait is aborted', async () => {
        const request = asked()
        await at(one).add(request, 10)
        const given = new AbortController()
        const waiting = at(other).settled(request.id, given.signal)
        given.abort(new Error('given up'))
        await expect(waiting).rejects.toThrow('given up')
      })
    },
    (replicas, server) => {
      it('fail a waiting call during a long outage of the database, and keep decisions afterwards', async () => {
        const [one, other] = replicas()
        const [short, decided] = [asked(), asked()]
        await one.add(short, 10)
        await one.add(decided, 10)
        await other.decide(decided.id, 'allow')
        const waiting = one.settled(short.id, never)
        await server().kill()
        await expect(waiting).rejects.toThrow()
        await expect(one.release(decided.id, decided.digest)).rejects.toThrow()
        await server().start()
        expect(await one.release(decided.id, decided.digest)).toBe(true)
        expect(await other.release(decided.id, decided.digest)).toBe(false)
      })
    },
  )
})

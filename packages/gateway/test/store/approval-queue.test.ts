// The queue of pending approvals, also in a database from before there was a queue.
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { QueuePosition } from '../../src/store/approvals/approval-records.js'
import type { ApprovalEvent } from '../../src/store/approvals/stored-approvals.js'
import { asked } from '../support/approval-requests.js'
import { describeEveryStore } from '../support/every-store.js'
import { until } from '../support/running-gateway.js'
import { newDirectory, newStore } from '../support/stores.js'
import { bytesIn, tamper } from '../support/tampered-log.js'

const hints = { readOnly: false, destructive: false, idempotent: false, openWorld: true }

/** Removes the additions of later versions and stores the arguments unsealed. */
const asBefore = `
  DROP TRIGGER approvals_decided;
  ALTER TABLE approvals DROP COLUMN sealed;
  UPDATE approvals SET asked = json_set(asked, '$.display', 'to bob', '$.arguments', json('{ "to": "bob" }'));
  DROP INDEX approvals_queue;
  DROP INDEX approvals_allowed;
  ALTER TABLE approvals DROP COLUMN server;
  ALTER TABLE approvals DROP COLUMN tool;
  ALTER TABLE approvals DROP COLUMN danger;
  ALTER TABLE approvals DROP COLUMN decider;
  ALTER TABLE approvals DROP COLUMN decision;
  PRAGMA user_version=1;
`

describe('the queue', () => {
  it('contains approvals that were pending before the upgrade', async () => {
    const directory = newDirectory()
    const before = await newStore({}, directory)
    const kinds = [{ ...hints, readOnly: true }, hints, { ...hints, destructive: true }, { ...hints, idempotent: true }]
    const [read, write, worst, again] = kinds.map((hints) => asked({ hints, held: false }))
    const old = asked({ held: false, arguments: { to: 'bob' } })
    for (const one of [read, write, worst, again, old]) if (one) await before.approvals.add(one, 10)
    await before.approvals.decide(old.id, 'allow')
    await before.close()
    tamper(directory, asBefore)
    const { approvals } = await newStore({}, directory)
    const { total, page, groups } = await approvals.queue({ limit: 10 })
    expect(total).toBe(4)
    expect(page.map(({ asked: { id } }) => id)).toEqual([worst, write, again, read].map((one) => one?.id))
    expect(groups).toEqual([{ server: 'mail', tool: 'send', caller: 'eve', count: 4, danger: 3 }])
    expect(page[0]?.asked).toMatchObject({ arguments: { to: 'bob' }, display: 'to bob' })
    expect(page[0]?.last).toMatchObject({ asked: { id: old.id, arguments: {} }, isForgotten: true })
    await until(() => !bytesIn(directory, 'to bob'))
  })
})

describeEveryStore((newPlace) => {
  describe('the queue', () => {
    it('limits the size of a page, and continues after it', async () => {
      const { approvals } = await (await newPlace()).open()
      const all = Array.from({ length: 3 }, (_, n) => asked({ arguments: { n, text: 'x'.repeat(1_500_000) } }))
      for (const each of all) await approvals.add(each, 10)
      const ids: string[] = []
      let after: QueuePosition | undefined
      do {
        const query = { limit: 50, ...(after && { after }) }
        // PostgreSQL may take longer than the store waits, because the requests are large.
        const { page, next } = await vi.waitFor(() => approvals.queue(query), 60_000)
        expect(page.length).toBeLessThanOrEqual(2)
        ids.push(...page.map(({ asked: { id } }) => id))
        after = next
      } while (after)
      expect(ids).toEqual(all.map(({ id }) => id))
    })

    it('reads the last allowed call once for all requests that show it', async () => {
      const { approvals } = await (await newPlace()).open()
      const [allowed, one, other] = [asked({ arguments: { text: 'x'.repeat(100_000) } }), asked(), asked()]
      await approvals.add(allowed, 10)
      await approvals.decide(allowed.id, 'allow')
      for (const each of [one, other]) await approvals.add(each, 10)
      const parsed = vi.spyOn(JSON, 'parse')
      const { page } = await approvals.queue({ limit: 10 })
      const large = parsed.mock.calls.filter(([text]) => text.length > 100_000)
      parsed.mockRestore()
      expect(page.map(({ last }) => last?.asked.arguments)).toEqual([allowed.arguments, allowed.arguments])
      expect(large).toHaveLength(1)
    })

    it('is counted without reading the requests', async () => {
      const { approvals } = await (await newPlace()).open()
      expect(await approvals.countPending()).toBe(0)
      const [one, other] = [asked(), asked()]
      for (const each of [one, other]) await approvals.add(each, 10)
      await approvals.decide(one.id, 'allow')
      expect(await approvals.countPending()).toBe(1)
    })

    it('keeps room on the first page for other callers when one caller floods it, and shows each request once', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ caller: fc.constantFrom('ada', 'bob', 'eve', 'eve', 'eve', 'eve'), readOnly: fc.boolean() }), {
            maxLength: 60,
          }),
          fc.integer({ min: 1, max: 25 }),
          async (wanted, limit) => {
            const { approvals, close } = await (await newPlace()).open()
            const all = wanted.map(({ caller, readOnly }) => asked({ caller, hints: { ...hints, readOnly } }))
            for (const each of all) await approvals.add(each, 100)
            const ids: string[] = []
            let after: QueuePosition | undefined
            do {
              const { page, next } = await approvals.queue({ limit, ...(after && { after }) })
              ids.push(...page.map(({ asked: { id } }) => id))
              after = next
            } while (after)
            expect(ids.toSorted()).toEqual(all.map(({ id }) => id).toSorted())
            const callers = ids.map((id) => all.find((one) => one.id === id)?.caller)
            for (const caller of new Set(callers)) {
              // At most ten requests of each of the two other callers come before this caller's first one.
              expect(callers.indexOf(caller)).toBeLessThanOrEqual(20)
            }
            await close()
          },
        ),
        { numRuns: 10 },
      )
    })

    it('keeps each decision and its author after the call was withdrawn', async () => {
      const { approvals } = await (await newPlace()).open()
      const [one, other] = [asked(), asked()]
      for (const each of [one, other]) await approvals.add(each, 10)
      await approvals.decide(one.id, 'allow', 'ada')
      await approvals.decide(other.id, { deny: 'no' }, 'bob')
      for (const each of [one, other]) await approvals.withdraw(each.id)
      expect(await approvals.find(one.id)).toMatchObject({ is: { state: 'gone' }, decision: 'allow', by: 'ada' })
      expect(await approvals.find(other.id)).toMatchObject({ decision: 'deny', by: 'bob' })
      expect(await approvals.find('nothing')).toBeUndefined()
      expect(await approvals.waiting(one.id)).toBeUndefined()
    })

    it('reports each change once, and no refused change', async () => {
      const { approvals } = await (await newPlace()).open()
      const moves: ApprovalEvent[] = []
      approvals.onMove((move) => moves.push(move))
      const [one, other] = [asked(), asked({ tool: { name: 'read', definitionHash: 'sha256:1' } })]
      for (const each of [one, other]) await approvals.add(each, 10)
      expect(await approvals.add(asked(), 2)).toBe('full')
      expect(await approvals.denyAll({ tool: 'read' }, { by: 'ada', why: 'no' })).toEqual([other.id])
      expect(await approvals.decide(other.id, 'allow', 'bob')).toBe(false)
      await approvals.decide(one.id, 'allow')
      expect(moves).toMatchObject([
        { what: 'asked', asked: { id: one.id } },
        { what: 'asked', asked: { id: other.id } },
        { what: 'over', id: other.id, is: { state: 'denied', why: 'no' }, by: 'ada' },
        { what: 'over', id: one.id, is: { state: 'allowed' } },
      ])
    })
  })
})

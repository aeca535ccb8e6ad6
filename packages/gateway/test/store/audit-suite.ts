// The behavior of every searchable audit log.
import type { AuditRecord } from 'toolwire/guard'
import { describe, expect, it } from 'vitest'
import type { StoredAudit } from '../../src/store/audit/stored-audit.js'
import { intentOf, outcomeOf } from '../support/stores.js'

type OpenedAudit = { readonly audit: StoredAudit }

const calls = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => [intentOf(from + n), outcomeOf(from + n)]).flat()

async function append({ audit }: OpenedAudit, ...records: readonly AuditRecord[]): Promise<void> {
  await Promise.all(records.map((record) => audit.append(record)))
}

/** `newStore` returns an empty log with one writer. */
export function auditSuite(name: string, newStore: () => Promise<OpenedAudit>): void {
  describe(`${name}: the log`, () => {
    it('keeps each record as exactly the text that was hashed, with the call it belongs to', async () => {
      const store = await newStore()
      const odd = 'a"\\\n\u2028%_'
      await append(
        store,
        intentOf(1, { caller: odd, arguments: { odd: '\u0000\ud800' } }),
        outcomeOf(1, { caller: odd, outcome: 'error' }),
      )
      const found = await store.audit.record(2)
      expect(found?.record).toEqual(outcomeOf(1, { caller: odd, outcome: 'error' }))
      expect(found?.call).toMatchObject({ sequence: 1, ended: 2, caller: odd, outcome: 'error', durationMs: 1.5 })
      expect(await store.audit.record(3)).toBeUndefined()
      expect((await store.audit.verify()).ok).toBe(true)
      expect((await store.audit.search({ caller: odd, text: 'A"\\\n' })).calls).toHaveLength(1)
    })

    it('returns its last durable record', async () => {
      const store = await newStore()
      expect(store.audit.sequence).toBe(0)
      await append(store, ...calls(1, 3))
      expect(store.audit.sequence).toBe(6)
    })

    it('can be followed from any record, as soon as records are durable', async () => {
      const store = await newStore()
      await append(store, ...calls(1, 300))
      const stop = new AbortController()
      const sequences: number[] = []
      const following = (async () => {
        for await (const entries of store.audit.follow(100, stop.signal)) {
          sequences.push(...entries.map(({ sequence }) => sequence))
          if (sequences.at(-1) === 600) void append(store, intentOf(301))
          if (sequences.at(-1) === 601) stop.abort()
        }
      })()
      await following
      expect(sequences).toEqual(Array.from({ length: 501 }, (_, n) => 101 + n))
    })

    it('can be followed from its end, and names the place from which the same records come again', async () => {
      for (const before of [[], calls(1, 3)]) {
        const store = await newStore()
        await append(store, ...before)
        const stop = new AbortController()
        const { end, pages } = await store.audit.followNew(stop.signal)
        await append(store, intentOf(9))
        const textsIn = async (following: typeof pages) => {
          for await (const entries of following)
            if (entries.at(-1)?.text.includes('call-9')) return entries.map(({ text }) => text)
          return []
        }
        const news = await textsIn(pages)
        expect(news).toHaveLength(1)
        // A shared log repeats records from shortly before.
        expect((await textsIn(store.audit.follow(end, stop.signal))).slice(-1)).toEqual(news)
        stop.abort()
      }
    })

    it('is exported as a table in which no name acts as a formula', async () => {
      const store = await newStore()
      await append(
        store,
        intentOf(1, { caller: '=HYPERLINK("x")', tool: 'a,b' }),
        outcomeOf(1),
        intentOf(2, { at: 0, caller: '@x' }),
      )
      let text = ''
      for await (const piece of store.audit.export('csv')) text += piece
      expect(text.split('\r\n')).toEqual([
        'sequence,time,caller,server,tool,decision,outcome,reason,durationMs,call,ground',
        `1,1970-01-01T00:00:01.001Z,"'=HYPERLINK(""x"")",mail,"a,b",allowed,ok,,1.5,call-1,`,
        `3,1970-01-01T00:00:00.000Z,'@x,mail,send,,open,,,call-2,`,
        '',
      ])
    })
  })

  describe(`${name}: a search`, () => {
    it('shows calls with their outcomes, newest first, by every filter', async () => {
      const store = await newStore()
      await append(
        store,
        ...[intentOf(1), intentOf(2, { caller: 'bob' }), intentOf(3, { tool: 'read' }), intentOf(4, { server: 'post' })],
        ...[outcomeOf(1, { ground: 'grant:7f3a' }), outcomeOf(2, { outcome: 'error' })],
        outcomeOf(4, { decision: 'refused', outcome: 'refused', reason: 'not-approved' }),
      )
      const found = async (query: Parameters<StoredAudit['search']>[0]) =>
        (await store.audit.search(query)).calls.map(({ sequence }) => sequence)
      expect(await found({})).toEqual([4, 3, 2, 1])
      expect(await found({ caller: 'bob' })).toEqual([2])
      expect(await found({ tool: 'read' })).toEqual([3])
      expect(await found({ server: 'mail' })).toEqual([3, 2, 1])
      expect(await found({ outcome: 'error' })).toEqual([2])
      expect(await found({ outcome: 'open' })).toEqual([3])
      expect(await found({ decision: 'refused' })).toEqual([4])
      expect(await found({ decision: 'allowed', caller: 'eve' })).toEqual([1])
      expect(await found({ text: 'NOT-approved' })).toEqual([4])
      expect(await found({ text: '%' })).toEqual([])
      expect(await found({ from: 1_002, to: 1_003 })).toEqual([3, 2])
      expect((await store.audit.search({})).calls.map(({ ground }) => ground)).toEqual([
        undefined,
        undefined,
        undefined,
        'grant:7f3a',
      ])
      expect((await store.audit.search({ outcome: 'refused' })).calls[0]).toMatchObject({
        ...{ sequence: 4, call: 'call-4', at: 1_004, caller: 'eve', server: 'post', tool: 'send', ended: 7, durationMs: 1.5 },
        ...{ decision: 'refused', outcome: 'refused', reason: 'not-approved' },
      })
    })

    it.each([
      ['Müller', 'MÜLLER'],
      ['MÜLLER', 'müller'],
      ['Éléonore', 'éLÉONORE'],
      ['Иванов', 'иВАНОВ'],
      ['ὈΔΥΣΣΕΎΣ', 'ὀδυσσεύσ'],
      ['Straße', 'STRAßE'],
      ['İstanbul', 'İSTANBUL'],
      ['東京[1]*?^-".\\$(é)|{2}+\n', '東京[1]*?^-".\\$(É)|{2}+\n'],
      ['𐐀dé', '𐐨DÉ'],
    ])('finds %j as %j, and no text that differs in more than the case', async (written, wanted) => {
      const store = await newStore()
      await append(store, intentOf(1, { caller: written }), intentOf(2, { caller: `${written.slice(0, -1)}ø` }))
      const { calls } = await store.audit.search({ text: wanted })
      expect(calls.map(({ caller }) => caller)).toEqual([written])
    })

    it('in a time without calls has no next page', async () => {
      const store = await newStore()
      for (const time of [{ to: 0 }, { from: 9e12 }]) expect(await store.audit.search(time)).toEqual({ calls: [] })
      await append(store, ...calls(1, 3))
      for (const time of [{ to: 0 }, { from: 9e12 }]) expect(await store.audit.search(time)).toEqual({ calls: [] })
    })

    it('continues page by page, and shows each call once while more are added', async () => {
      const store = await newStore()
      await append(store, ...calls(1, 95))
      const ids: string[] = []
      for (let before: number | undefined; ; ) {
        const page = await store.audit.search({ limit: 10, ...(before !== undefined && { before }) })
        ids.push(...page.calls.map(({ call }) => call))
        await append(store, intentOf(1_000 + ids.length))
        before = page.before
        if (before === undefined) break
      }
      expect(ids).toEqual(Array.from({ length: 95 }, (_, n) => `call-${95 - n}`))
    })

    it('finds times even if the clock jumped back an hour, in the order of the records', async () => {
      const store = await newStore()
      const hour = 3_600_000
      const at = (number: number) => (number <= 1_500 ? 10 * hour : 9 * hour) + number
      await append(store, ...Array.from({ length: 3_000 }, (_, n) => intentOf(n + 1, { at: at(n + 1) })))
      const late = await store.audit.search({ from: 10 * hour, limit: 1_000 })
      expect(late.calls.map(({ sequence }) => sequence).slice(0, 2)).toEqual([1_500, 1_499])
      const early = await store.audit.search({ from: 9 * hour + 1_600, to: 9 * hour + 1_601 })
      expect(early.calls.map(({ sequence }) => sequence)).toEqual([1_601, 1_600])
      expect((await store.audit.search({ to: 1 })).calls).toEqual([])
    })
  })
}

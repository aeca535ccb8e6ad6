// An attacker who can write the database and has everything that the gateway ever signed, but not its key.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { howMany } from '../../../toolwire/test/soak.js'
import type { SignedHead } from '../../src/store/audit/signed-head.js'
import { append, intentOf, newDirectory, newStore, outcomeOf } from '../support/stores.js'
import { markIn, read, tamper } from '../support/tampered-log.js'

type Written = {
  readonly directory: string
  readonly begin: number
  readonly end: number
  readonly signed: readonly SignedHead[]
}

/** A log of this many calls, with some signed heads, and some of its oldest records dropped. */
async function written(calls: number, dropped: number): Promise<Written> {
  const directory = newDirectory()
  const store = await newStore({}, directory)
  const signed: SignedHead[] = []
  const keep = (head: SignedHead | undefined) => head && signed.push(head)
  for (let call = 1; call <= calls; call++) {
    await append(store, intentOf(call), outcomeOf(call))
    keep(store.audit.signHead())
    if (call !== Math.ceil(calls / 2)) continue
    await store.audit.retain({ records: call * 2 - dropped })
    keep(markIn(directory))
  }
  const begin = (markIn(directory)?.sequence ?? 0) + 1
  expect(await store.audit.verify({ ...(signed.at(-1) && { head: signed.at(-1)! }) })).toMatchObject({ ok: true })
  await store.close()
  return { directory, begin, end: calls * 2, signed }
}

/** The tampering with the database, and the record that verification must report. */
type Tampering = { readonly what: string; readonly how: string; readonly names: number }

const put = (mark: object) =>
  `INSERT INTO state VALUES ('from', '${JSON.stringify(mark)}') ON CONFLICT DO UPDATE SET value = excluded.value;`

const cuts = ({ begin, end, signed }: Written, pick: number): Tampering[] => {
  const usable = signed.filter(({ sequence }) => sequence >= begin && sequence < end)
  const head = usable[pick % usable.length]!
  return [head, { ...head, purpose: 'toolwire audit retention mark 1' }].map((mark) => ({
    what: `cut before ${head.sequence + 1}, with a head as the mark`,
    how: `DELETE FROM audit WHERE sequence <= ${head.sequence}; ${put(mark)}`,
    names: 1,
  }))
}

const others = ({ begin, end, directory }: Written, pick: number): Tampering[] => {
  const at = begin + (pick % (end - begin))
  const unmarked = begin === 1 ? [] : [{ what: 'no mark', how: `DELETE FROM state WHERE name = 'from'`, names: 1 }]
  const [row] = read(directory, `SELECT hash FROM audit WHERE sequence = ${end}`)
  return [
    ...unmarked,
    { what: 'cut, nothing else', how: `DELETE FROM audit WHERE sequence <= ${at}`, names: begin },
    {
      what: 'reordered',
      how: `UPDATE audit SET sequence = -1 WHERE sequence = ${at}; UPDATE audit SET sequence = ${at} WHERE sequence = ${at + 1};
            UPDATE audit SET sequence = ${at + 1} WHERE sequence = -1`,
      names: at,
    },
    { what: 'replaced text', how: `UPDATE audit SET text = replace(text, 'eve', 'ada') WHERE sequence = ${at}`, names: at },
    { what: 'another last character', how: `UPDATE audit SET text = rtrim(text, '}') || ']' WHERE sequence = ${at}`, names: at },
    { what: 'replaced hash', how: `UPDATE audit SET hash = '${row?.hash}' WHERE sequence = ${at}`, names: at },
    { what: 'taken out', how: `DELETE FROM audit WHERE sequence = ${at}`, names: at },
    { what: 'end cut off', how: `DELETE FROM audit WHERE sequence > ${at}`, names: at + 1 },
  ]
}

const logs = { calls: fc.integer({ min: 3, max: 8 }), dropped: fc.integer({ min: 0, max: 3 }), pick: fc.nat({ max: 1_000 }) }

async function found({ directory, signed }: Written, { how, names, what }: Tampering): Promise<void> {
  tamper(directory, how)
  const store = await newStore({ onNote: () => undefined }, directory)
  const last = signed.at(-1)
  const verdict = await store.audit.verify(last && { head: last })
  expect(verdict, what).toMatchObject({ ok: false, sequence: names, why: expect.stringMatching(/./) })
  await store.close()
}

it('detects a truncated beginning, even with a text that the gateway once signed as its mark', async () => {
  await fc.assert(
    fc.asyncProperty(logs.calls, logs.dropped, logs.pick, async (calls, dropped, pick) => {
      for (const nth of [0, 1]) {
        const log = await written(calls, dropped)
        await found(log, cuts(log, pick)[nth]!)
      }
    }),
    { numRuns: 8 },
  )
})

it('reports the first record that was reordered, replaced or removed', async () => {
  await fc.assert(
    fc.asyncProperty(logs.calls, logs.dropped, logs.pick, fc.nat({ max: 1_000 }), async (calls, dropped, pick, which) => {
      const log = await written(calls, dropped)
      const all = others(log, pick)
      await found(log, all[which % all.length]!)
    }),
    { numRuns: howMany(5, 24) },
  )
})

it('never drops changed records, so that retention cannot hide a change', async () => {
  await fc.assert(
    fc.asyncProperty(logs.calls, logs.dropped, logs.pick, fc.nat({ max: 1_000 }), async (calls, dropped, pick, which) => {
      const log = await written(calls, dropped)
      const all = [...cuts(log, pick), ...others(log, pick)].filter(({ what }) => what !== 'end cut off')
      const one = all[which % all.length]!
      tamper(log.directory, one.how)
      const store = await newStore({ onNote: () => undefined }, log.directory)
      await store.audit.retain({ records: 1 }).catch(() => 0)
      expect(await store.audit.verify(), one.what).toMatchObject({ ok: false })
      await store.close()
    }),
    { numRuns: howMany(5, 20) },
  )
})

it.each([
  -9_000_000, 0, 1,
])('reports that nothing is dropped because of a row %i that is long before the beginning', async (row) => {
  const directory = newDirectory()
  const store = await newStore({}, directory)
  await append(store, ...Array.from({ length: 2_100 }, (_, n) => intentOf(n)))
  expect(await store.audit.retain({ records: 10 })).toBe(2_090)
  await store.close()
  tamper(directory, `INSERT INTO audit SELECT ${row}, hash, text FROM audit WHERE sequence = 2100`)
  const again = await newStore({ onNote: () => undefined }, directory)
  await expect(again.audit.retain({ records: 5 })).rejects.toThrow('was altered, so no old records are dropped')
})

const tables = ['DELETE FROM stretches', 'UPDATE stretches SET earliest = 0, latest = 0']

it('drops no recent record, even if the table of times was changed', async () => {
  const ages = { old: fc.nat({ max: 4 }), young: fc.integer({ min: 2, max: 5 }), says: fc.constantFrom(...tables) }
  await fc.assert(
    fc.asyncProperty(fc.record(ages), async ({ old, young, says }) => {
      const directory = newDirectory()
      const store = await newStore({}, directory)
      for (let n = 0; n < old; n++) await append(store, intentOf(n))
      for (let n = 0; n < young; n++) await append(store, intentOf(n, { at: Date.now() }))
      expect((await store.audit.search({})).calls).toHaveLength(old + young)
      await store.close()
      tamper(directory, says)
      const { audit } = await newStore({}, directory)
      expect(await audit.retain({ days: 1 })).toBe(old)
      expect(await audit.verify()).toMatchObject({ ok: true, entries: young })
    }),
    { numRuns: howMany(2, 12) },
  )
})

import { type AuditHead, verifyAudit } from 'toolwire/guard'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { retentionSchedule } from '../../src/store/audit/retention.js'
import { headSigner, isSignedBy, newSigningKey, publicKeyOf } from '../../src/store/audit/signed-head.js'
import { verifyExport } from '../../src/store/audit/verify-export.js'
import type { Store } from '../../src/store/store.js'
import { append, intentOf, newDirectory, newStore, outcomeOf } from '../support/stores.js'
import { markIn, read, tamper } from '../support/tampered-log.js'
import { auditSuite } from './audit-suite.js'

async function exported(store: Store, format: 'ndjson' | 'csv'): Promise<string> {
  let text = ''
  for await (const piece of store.audit.export(format)) text += piece
  return text
}

async function* pieces(text: string) {
  for (let at = 0; at < text.length; at += 97) yield Buffer.from(text.slice(at, at + 97))
}

const hour = 3_600_000

const calls = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => [intentOf(from + n), outcomeOf(from + n)]).flat()

/** A closed store that contains this many calls. */
async function written(count: number) {
  const directory = newDirectory()
  const store = await newStore({}, directory)
  await append(store, ...calls(1, count))
  const head = store.audit.signHead()
  await store.close()
  return { directory, head }
}

auditSuite('in a file', () => newStore())

describe('the log', () => {
  it('continues after a restart where it ended, and verifies as one', async () => {
    const { directory, head } = await written(3)
    const store = await newStore({}, directory)
    expect(store.audit.head).toEqual({ sequence: head?.sequence, hash: head?.hash })
    await append(store, intentOf(4))
    expect(store.audit.head?.sequence).toBe(7)
    expect(await store.audit.verify({ head })).toEqual({ ok: true, entries: 7, head: store.audit.head })
  })
})

describe('an export', () => {
  it('contains the log in lines that verify without the store', async () => {
    const store = await newStore()
    await append(store, ...calls(1, 700))
    expect(await verifyAudit(await exported(store, 'ndjson'), { head: store.audit.head })).toMatchObject({
      ok: true,
      entries: 1_400,
    })
  })

  it('can be a signed head, which reveals whether the log still contains it', async () => {
    const { directory, head } = await written(3)
    if (!head) throw new Error('The test needs a written record')
    const store = await newStore({}, directory)
    const key = publicKeyOf(store.audit.publicKey)
    expect(isSignedBy(head, key)).toBe(true)
    expect(isSignedBy({ ...head, sequence: 5 }, key)).toBe(false)
    expect(await store.audit.checkWitnessed([head])).toEqual({ ok: true, heads: 1, dropped: 0 })
    const other = (await newStore()).audit.publicKey
    expect(await store.audit.verify({ head: { ...head, key: other } })).toMatchObject({
      ok: false,
      why: 'The head was not signed by this gateway',
    })
    expect(await store.audit.verify({ head: { ...head, hash: '0'.repeat(64) } })).toMatchObject({ ok: false })
  })
})

describe('tampering with the file is detected', () => {
  const changed = [
    { what: 'an edit', how: `UPDATE audit SET text = replace(text, 'eve', 'ada') WHERE sequence = 5`, sequence: 5 },
    { what: 'a deletion', how: 'DELETE FROM audit WHERE sequence = 5', sequence: 5 },
    { what: 'an insertion', how: `INSERT INTO audit SELECT 7, hash, text FROM audit WHERE sequence = 6`, sequence: 7 },
    {
      what: 'two swapped records',
      how: 'UPDATE audit SET sequence = 99 WHERE sequence = 3; UPDATE audit SET sequence = 3 WHERE sequence = 4; UPDATE audit SET sequence = 4 WHERE sequence = 99',
      sequence: 3,
    },
    { what: 'a removed beginning', how: 'DELETE FROM audit WHERE sequence <= 2', sequence: 1 },
    {
      what: 'an unsigned mark',
      how: `DELETE FROM audit WHERE sequence <= 2; INSERT INTO state SELECT 'from', json_object('sequence', 2, 'hash', 'x')`,
      sequence: 1,
    },
  ]

  it.each(changed)('by $what, and the first bad record is named', async ({ how, sequence }) => {
    const { directory } = await written(3)
    tamper(directory, how)
    const store = await newStore({}, directory)
    expect(await store.audit.verify()).toMatchObject({ ok: false, sequence, why: expect.stringMatching(/./) })
  })

  it('by a truncated end, while the writing gateway runs, with any head', async () => {
    const { directory, head } = await written(3)
    const store = await newStore({}, directory)
    await append(store, ...calls(4, 5))
    expect(await store.audit.verify({ head })).toMatchObject({ ok: true, entries: 10 })
    tamper(directory, 'DELETE FROM audit WHERE sequence > 8')
    expect(await store.audit.verify({ head })).toMatchObject({ ok: false, sequence: 9 })
  })

  it('by a truncated end, against a head that was stored elsewhere', async () => {
    const { directory, head } = await written(3)
    tamper(directory, 'DELETE FROM audit WHERE sequence > 4')
    const store = await newStore({}, directory)
    expect(await store.audit.verify()).toMatchObject({ ok: true })
    expect(await store.audit.verify({ ...(head && { head }) })).toMatchObject({ ok: false, sequence: 5 })
    expect(head && (await store.audit.checkWitnessed([head]))).toMatchObject({
      ok: false,
      why: 'The log ends before head 6, which was witnessed',
    })
  })

  it('while the gateway runs, and the next record is refused', async () => {
    const directory = newDirectory()
    const store = await newStore({}, directory)
    await append(store, ...calls(1, 3))
    tamper(directory, 'DELETE FROM audit WHERE sequence > 4')
    expect(await store.audit.verify()).toMatchObject({ ok: false, sequence: 5 })
    await expect(append(store, intentOf(9))).rejects.toThrow('The next record of the log is 5, not 7')
    expect(store.trouble).toMatchObject({ message: expect.stringContaining('record of the log is 5') })
  })
})

describe('retention', () => {
  it('drops the oldest records, and the log verifies from its retention mark', async () => {
    const directory = newDirectory()
    const store = await newStore({}, directory)
    await append(store, ...calls(1, 2_500))
    const head = store.audit.signHead()
    expect(await store.audit.retain({ records: 100 })).toBe(4_900)
    expect(markIn(directory)).toMatchObject({ sequence: 4_900, key: store.audit.publicKey })
    await append(store, intentOf(3_000))
    expect(await store.audit.verify({ ...(head && { head }) })).toEqual({ ok: true, entries: 101, head: store.audit.head })
    expect((await store.audit.search({ limit: 1_000 })).calls).toHaveLength(51)
    await store.close()
    const again = await newStore({ retention: { records: 10 } }, directory)
    await expect.poll(() => markIn(directory)).toMatchObject({ sequence: 4_991 })
    expect(await again.audit.verify()).toMatchObject({ ok: true, entries: 10 })
  })

  it('is marked in an exported log, with the key that signed the mark', async () => {
    const directory = newDirectory()
    const store = await newStore({}, directory)
    await append(store, ...calls(1, 3))
    const early = store.audit.signHead()
    await append(store, ...calls(4, 6))
    expect(await store.audit.retain({ records: 4 })).toBe(8)
    const from = markIn(directory)
    if (!early || !from) throw new Error('There are records')
    expect(await Promise.all([7, 8, 9, 13].map(store.audit.headHash))).toEqual([
      ...[null, from.hash, expect.stringMatching(/^\w{64}$/), undefined],
    ])
    const text = await exported(store, 'ndjson')
    const verdictOn = (file: string, head?: AuditHead) => verifyExport(pieces(file), { head })
    expect(await verdictOn(text, from)).toEqual({ ok: true, entries: 4, head: store.audit.head, from })
    expect(await verdictOn(text, early)).toMatchObject({ ok: false, sequence: 6, dropped: true })
    const [mark = '', ...lines] = text.split('\n')
    expect(await verdictOn(lines.join('\n'))).toMatchObject({ ok: false, why: 'Record 1 is missing: record 9 is in its place' })
    expect(await verdictOn([mark, ...lines.slice(1)].join('\n'))).toMatchObject({ ok: false, line: 2, sequence: 9 })
    const other = headSigner(newSigningKey())
    const cut = { sequence: 9, hash: JSON.parse(lines[0] ?? '').hash }
    const byOther = { retention: other.sign(cut, 'retention') }
    expect(await verdictOn([JSON.stringify(byOther), ...lines.slice(1)].join('\n'))).toMatchObject({
      ...{ ok: true, from: { key: other.publicKey } },
    })
    const signedForOther = other.sign(cut, 'head')
    const malformed = other.sign({ ...cut, hash: 'none' }, 'retention')
    for (const retention of [null, {}, { ...from, ...cut }, signedForOther, malformed, { ...byOther.retention, key: from.key }])
      expect(await verdictOn([JSON.stringify({ retention }), ...lines.slice(1)].join('\n'))).toMatchObject({
        ...{ ok: false, line: 1, why: expect.stringContaining('retention mark is not signed') },
      })
  })

  it('drops records by age, in whole segments, and never the last record', async () => {
    const store = await newStore()
    const old = Date.now() - 10 * 86_400_000
    await append(store, ...Array.from({ length: 2_500 }, (_, n) => intentOf(n, { at: n < 2_200 ? old : Date.now() })))
    expect(await store.audit.retain({ days: 30 })).toBe(0)
    expect(await store.audit.retain({ days: 5 })).toBe(1_999)
    expect(await store.audit.verify()).toMatchObject({ ok: true, entries: 501 })
    expect(await store.audit.retain({ days: -1 })).toBe(500)
    expect(await store.audit.verify()).toMatchObject({ ok: true, entries: 1 })
    await append(store, intentOf(3_000))
    expect(store.audit.head?.sequence).toBe(2_501)
  })

  it('drops nothing by age while the clock is new and far ahead of the last record', async () => {
    const { directory } = await written(2_500)
    const open = () => newStore({}, directory)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31 * 86_400_000 })
    onTestFinished(() => void vi.useRealTimers())
    const store = await open()
    await append(store, intentOf(3_000))
    expect(await store.audit.retain({ days: 30, isClockNew: true })).toBe(0)
    expect(await store.audit.retain({ days: 30, records: 4_000, isClockNew: true })).toBe(1_001)
    expect(await store.audit.retain({ days: 30, isClockNew: false })).toBeGreaterThan(0)
  })

  it('takes the clock as new until an hour has passed in which it was not set', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const kept: (boolean | undefined)[] = []
    const schedule = retentionSchedule({ retain: async ({ isClockNew }) => kept.push(isClockNew) }, () => undefined)
    onTestFinished(schedule.close)
    schedule.use({ days: 1 })
    schedule.use({ days: 2 })
    vi.advanceTimersByTime(hour)
    schedule.use({ days: 1 })
    vi.setSystemTime(Date.now() + 31 * 24 * hour)
    vi.advanceTimersByTime(hour)
    vi.advanceTimersByTime(hour)
    expect(kept).toEqual([true, true, false, false, true, false])
  })

  it('waits for a running verification of the log', async () => {
    const store = await newStore()
    await append(store, ...calls(1, 3_000))
    const progress: number[] = []
    const verified = store.audit.verify({ onProgress: (entries) => progress.push(entries) })
    const dropped = store.audit.retain({ records: 10 })
    const added = append(store, intentOf(4_000))
    expect(await verified).toMatchObject({ ok: true })
    expect(await dropped).toBe(5_991)
    await added
    expect(progress.length).toBeGreaterThan(3)
    expect((await store.audit.verify()).ok).toBe(true)
  })
})

describe('the index for searches', () => {
  const countIn = (directory: string): number => {
    const [row] = read(directory, 'SELECT count(*) AS count FROM calls WHERE ended IS NOT NULL')
    return Number(row?.count)
  }

  it('is built soon after the records, without a search', async () => {
    const directory = newDirectory()
    const store = await newStore({}, directory)
    await append(store, ...calls(1, 3))
    await expect.poll(() => countIn(directory)).toBe(3)
    expect(read(directory, 'SELECT earliest, latest FROM stretches')).toEqual([{ earliest: 1_001, latest: 1_003 }])
  })

  it('includes the latest records in a search at once', async () => {
    const store = await newStore()
    for (let number = 1; number <= 5; number++) {
      await append(store, ...calls(number, number))
      expect((await store.audit.callOf(`call-${number}`))?.outcome).toBe('ok')
      expect((await store.audit.search({ outcome: 'ok' })).calls).toHaveLength(number)
    }
  })

  it.each([0, 1, 3, 4_000])('continues after record %d, where the process ended', async (indexed) => {
    const directory = newDirectory()
    const before = await newStore({}, directory)
    await append(before, ...calls(1, 2_500))
    await before.audit.search({})
    await before.close()
    tamper(
      directory,
      `DELETE FROM stretches; DELETE FROM calls WHERE sequence > ${indexed};
       UPDATE calls SET ended = NULL, duration = NULL, decision = NULL, outcome = NULL WHERE ended > ${indexed};
       UPDATE state SET value = '${indexed}' WHERE name = 'indexed'`,
    )
    const store = await newStore({}, directory)
    const { calls: newest } = await store.audit.search({ limit: 1 })
    expect(newest).toMatchObject([{ sequence: 4_999, call: 'call-2500', ended: 5_000, outcome: 'ok' }])
    expect(countIn(directory)).toBe(2_500)
    expect((await exported(store, 'csv')).trim().split('\n')).toHaveLength(2_501)
  })
})

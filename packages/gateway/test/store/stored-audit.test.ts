import { verifyAudit } from 'toolwire/guard'
import { describe, expect, it } from 'vitest'
import { isSignedBy } from '../../src/store/audit/signed-head.js'
import type { Store } from '../../src/store/store.js'
import { append, intentOf, newDirectory, newStore, outcomeOf } from '../support/stores.js'
import { read, tamper } from '../support/tampered-log.js'

async function exported(store: Store, format: 'ndjson' | 'csv'): Promise<string> {
  let text = ''
  for await (const piece of store.audit.export(format)) text += piece
  return text
}

const calls = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => [intentOf(from + n), outcomeOf(from + n)]).flat()

/** A closed store with so many calls in it. */
async function written(count: number) {
  const directory = newDirectory()
  const store = await newStore({}, directory)
  await append(store, ...calls(1, count))
  const head = store.audit.signHead()
  await store.close()
  return { directory, head }
}

describe('the log', () => {
  it('goes on after a restart where it ended, and verifies as one', async () => {
    const { directory, head } = await written(3)
    const store = await newStore({}, directory)
    expect(store.audit.head).toEqual({ sequence: head?.sequence, hash: head?.hash })
    await append(store, intentOf(4))
    expect(store.audit.head?.sequence).toBe(7)
    expect(await store.audit.verify({ head })).toEqual({ ok: true, entries: 7, head: store.audit.head })
  })

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

  it('is followed from any record on, as soon as records are safe', async () => {
    const store = await newStore()
    await append(store, ...calls(1, 300))
    const stop = new AbortController()
    const seen: number[] = []
    const following = (async () => {
      for await (const entries of store.audit.follow(100, stop.signal)) {
        seen.push(...entries.map(({ sequence }) => sequence))
        if (seen.at(-1) === 600) void append(store, intentOf(301))
        if (seen.at(-1) === 601) stop.abort()
      }
    })()
    await following
    expect(seen).toEqual(Array.from({ length: 501 }, (_, n) => 101 + n))
  })
})

describe('a search', () => {
  it('shows calls with how they ended, newest first, by every fact', async () => {
    const store = await newStore()
    await append(
      store,
      ...[intentOf(1), intentOf(2, { caller: 'bob' }), intentOf(3, { tool: 'read' }), intentOf(4, { server: 'post' })],
      ...[outcomeOf(1), outcomeOf(2, { outcome: 'error' })],
      outcomeOf(4, { decision: 'refused', outcome: 'refused', reason: 'not-approved' }),
    )
    const found = async (query: Parameters<Store['audit']['search']>[0]) =>
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
    expect((await store.audit.search({ outcome: 'refused' })).calls[0]).toEqual({
      ...{ sequence: 4, call: 'call-4', at: 1_004, caller: 'eve', server: 'post', tool: 'send', ended: 7, durationMs: 1.5 },
      ...{ decision: 'refused', outcome: 'refused', reason: 'not-approved' },
    })
  })

  it('goes on page by page, and meets each call once though more are added', async () => {
    const store = await newStore()
    await append(store, ...calls(1, 95))
    const seen: string[] = []
    for (let before: number | undefined; ; ) {
      const page = await store.audit.search({ limit: 10, ...(before !== undefined && { before }) })
      seen.push(...page.calls.map(({ call }) => call))
      await append(store, intentOf(1_000 + seen.length))
      before = page.before
      if (before === undefined) break
    }
    expect(seen).toEqual(Array.from({ length: 95 }, (_, n) => `call-${95 - n}`))
  })

  it('finds times though the clock jumped back an hour: the order is that of the records', async () => {
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

describe('what leaves the store', () => {
  it('is the log in lines that verify elsewhere', async () => {
    const store = await newStore()
    await append(store, ...calls(1, 700))
    expect(await verifyAudit(await exported(store, 'ndjson'), { head: store.audit.head })).toMatchObject({
      ok: true,
      entries: 1_400,
    })
  })

  it('is a table of calls in which no name is a formula', async () => {
    const store = await newStore()
    await append(
      store,
      intentOf(1, { caller: '=HYPERLINK("x")', tool: 'a,b' }),
      outcomeOf(1),
      intentOf(2, { at: 0, caller: '@x' }),
    )
    expect((await exported(store, 'csv')).split('\r\n')).toEqual([
      'sequence,time,caller,server,tool,decision,outcome,reason,durationMs,call,ground',
      `1,1970-01-01T00:00:01.001Z,"'=HYPERLINK(""x"")",mail,"a,b",allowed,ok,,1.5,call-1,`,
      `3,1970-01-01T00:00:00.000Z,'@x,mail,send,,open,,,call-2,`,
      '',
    ])
  })

  it('is a signed head, that tells whether the log still has it', async () => {
    const { directory, head } = await written(3)
    if (!head) throw new Error('nothing was written')
    const store = await newStore({}, directory)
    expect(isSignedBy(head, store.audit.publicKey)).toBe(true)
    expect(isSignedBy({ ...head, sequence: 5 }, store.audit.publicKey)).toBe(false)
    expect(await store.audit.checkHead(head)).toEqual({ ok: true })
    const other = (await newStore()).audit.publicKey
    expect(await store.audit.checkHead({ ...head, key: other })).toMatchObject({
      ok: false,
      why: 'It was not signed by this gateway',
    })
    expect(await store.audit.verify({ head: { ...head, hash: '0'.repeat(64) } })).toMatchObject({ ok: false })
  })
})

describe('somebody who changes the file is found out', () => {
  const changed = [
    { what: 'an edit', how: `UPDATE audit SET text = replace(text, 'eve', 'ada') WHERE sequence = 5`, sequence: 5 },
    { what: 'a deletion', how: 'DELETE FROM audit WHERE sequence = 5', sequence: 5 },
    { what: 'an insertion', how: `INSERT INTO audit SELECT 7, hash, text FROM audit WHERE sequence = 6`, sequence: 7 },
    {
      what: 'two records that changed places',
      how: 'UPDATE audit SET sequence = 99 WHERE sequence = 3; UPDATE audit SET sequence = 3 WHERE sequence = 4; UPDATE audit SET sequence = 4 WHERE sequence = 99',
      sequence: 3,
    },
    { what: 'a beginning that is gone', how: 'DELETE FROM audit WHERE sequence <= 2', sequence: 1 },
    {
      what: 'a mark that nobody signed',
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

  it('by a cut tail, against a head that was kept elsewhere', async () => {
    const { directory, head } = await written(3)
    tamper(directory, 'DELETE FROM audit WHERE sequence > 4')
    const store = await newStore({}, directory)
    expect(await store.audit.verify()).toMatchObject({ ok: true })
    expect(await store.audit.verify({ ...(head && { head }) })).toMatchObject({ ok: false, sequence: 5 })
    expect(head && (await store.audit.checkHead(head))).toEqual({
      ok: false,
      why: 'The log ends before record 6, which was written',
    })
  })

  it('while the gateway runs, and what would come after it is refused', async () => {
    const directory = newDirectory()
    const store = await newStore({}, directory)
    await append(store, ...calls(1, 3))
    tamper(directory, 'DELETE FROM audit WHERE sequence > 4')
    expect(await store.audit.verify()).toMatchObject({ ok: false, sequence: 5 })
    await expect(append(store, intentOf(9))).rejects.toThrow('The log goes on with record 5, not with 7')
    expect(store.trouble).toMatchObject({ message: expect.stringContaining('record 5') })
  })
})

describe('retention', () => {
  it('drops the oldest, and the log verifies from there and says where it begins', async () => {
    const directory = newDirectory()
    const store = await newStore({}, directory)
    await append(store, ...calls(1, 2_500))
    const head = store.audit.signHead()
    expect(await store.audit.retain({ records: 100 })).toBe(4_900)
    expect(await store.audit.from()).toMatchObject({ sequence: 4_900, key: store.audit.publicKey })
    await append(store, intentOf(3_000))
    expect(await store.audit.verify({ ...(head && { head }) })).toEqual({ ok: true, entries: 101, head: store.audit.head })
    expect((await store.audit.search({ limit: 1_000 })).calls).toHaveLength(51)
    const from = await store.audit.from()
    expect(await verifyAudit(await exported(store, 'ndjson'), { from })).toMatchObject({ ok: true, entries: 101 })
    await store.close()
    const again = await newStore({ retention: { records: 10 } }, directory)
    await expect.poll(() => again.audit.from()).toMatchObject({ sequence: 4_991 })
    expect(await again.audit.verify()).toMatchObject({ ok: true, entries: 10 })
  })

  it('drops what is older than so many days, in whole stretches, and never the last record', async () => {
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

  it('waits until the log has been read to its end', async () => {
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

describe('what searches need beside the log', () => {
  const countIn = (directory: string): number => {
    const [row] = read(directory, 'SELECT count(*) AS count FROM calls WHERE ended IS NOT NULL')
    return Number(row?.count)
  }

  it('is made soon after the records, without anybody looking', async () => {
    const directory = newDirectory()
    const store = await newStore({}, directory)
    await append(store, ...calls(1, 3))
    await expect.poll(() => countIn(directory)).toBe(3)
    expect(read(directory, 'SELECT earliest, latest FROM stretches')).toEqual([{ earliest: 1_001, latest: 1_003 }])
  })

  it('is there at once for whoever looks', async () => {
    const store = await newStore()
    for (let number = 1; number <= 5; number++) {
      await append(store, ...calls(number, number))
      expect((await store.audit.callOf(`call-${number}`))?.outcome).toBe('ok')
      expect((await store.audit.search({ outcome: 'ok' })).calls).toHaveLength(number)
    }
  })

  it.each([0, 1, 3, 4_000])('goes on after record %d, where the process ended before it was made', async (indexed) => {
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

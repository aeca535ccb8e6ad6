import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type AuditEntry, auditLine } from '../../../src/policy/audit/entry.js'
import { type AuditSink, auditLog, chainedLog } from '../../../src/policy/audit/log.js'
import { verifyAudit } from '../../../src/policy/audit/verify.js'
import { expectAfter } from '../../soak.js'
import { intentOf, slowSink } from './records.js'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const sequences = (entries: readonly AuditEntry[]) => entries.map(({ sequence }) => sequence)

/** A sink that keeps all entries and answers at once. */
function listSink() {
  const entries: AuditEntry[] = []
  return { entries, sink: { write: (written) => void entries.push(...written) } satisfies AuditSink }
}

describe('an audit entry', () => {
  it('contains the record, its sequence number and the previous hash; its own hash is that of its text', () => {
    const { entries, sink } = listSink()
    const log = auditLog(sink)
    expect(log.head).toBeUndefined()
    for (const number of [1, 2]) expect(log.append(intentOf(number))).toBeUndefined()
    expect(entries.map(({ text }) => JSON.parse(text))).toEqual([
      { sequence: 1, previous: null, ...intentOf(1) },
      { sequence: 2, previous: sha256(entries[0]?.text ?? ''), ...intentOf(2) },
    ])
    expect(entries.map(({ hash }) => hash)).toEqual(entries.map(({ text }) => sha256(text)))
    expect(log.head).toEqual({ sequence: 2, hash: entries[1]?.hash })
    expect(JSON.parse(auditLine(entries[1] as AuditEntry))).toEqual({
      ...JSON.parse(entries[1]?.text ?? ''),
      hash: entries[1]?.hash,
    })
  })

  it('is JSON on one line, whatever the names', () => {
    const { entries, sink } = listSink()
    const odd = 'a"\\\n\u2028\ud800","sequence":9'
    const record = { ...intentOf(1), id: odd, server: odd, tool: odd, caller: odd, definitionHash: odd, at: Number.NaN }
    auditLog(sink).append(record)
    auditLog(sink).append({ ...record, server: undefined })
    expect(entries[0]?.text).not.toContain('\n')
    expect(JSON.parse(entries[0]?.text ?? '')).toEqual({ sequence: 1, previous: null, ...record, at: null })
    expect(JSON.parse(entries[1]?.text ?? '')).not.toHaveProperty('server')
  })

  it('has the details of its own call, even if tools share a definition', () => {
    const { entries, sink } = listSink()
    const log = auditLog(sink)
    const records = [intentOf(1), { ...intentOf(2), server: 'post' }, { ...intentOf(3), tool: 'sand' }, intentOf(4)]
    for (const record of records) log.append(record)
    expect(entries.map(({ text }) => JSON.parse(text))).toMatchObject(records)
  })
})

describe('a log', () => {
  it('writes records that arrive during a write in one batch, in order', async () => {
    const { sink, batches, written } = slowSink()
    const log = auditLog(sink)
    const safe: number[] = []
    for (const number of [1, 2, 3]) void Promise.resolve(log.append(intentOf(number))).then(() => safe.push(number))
    expect(batches.map(sequences)).toEqual([[1]])
    await written()
    expect(safe).toEqual([1])
    expect(log.head?.sequence).toBe(1)
    expect(batches.map(sequences)).toEqual([[1], [2, 3]])
    await written()
    expect(safe).toEqual([1, 2, 3])
    expect(await verifyAudit(batches.flat().map(auditLine), { head: log.head })).toMatchObject({ ok: true, entries: 3 })
  })

  it('writes groups that a sink with a time limit can store, at once and in order', async () => {
    const kept: AuditEntry[] = []
    const log = chainedLog({
      paceMs: 60_000,
      async write(entries) {
        await new Promise((resolve) => setTimeout(resolve, Math.min(entries.length, 1_000)))
        if (entries.length >= 1_000) throw new Error('The statement took longer than a second')
        kept.push(...entries)
      },
    })
    const safe: number[] = []
    const append = async (number: number) => {
      await log.append(intentOf(number))
      safe.push(number)
    }
    const numbers = Array.from({ length: 2_000 }, (_, number) => number)
    await Promise.all(numbers.map(append))
    expect(safe).toEqual(numbers)
    expect(kept.map(({ text }) => JSON.parse(text).id)).toEqual(numbers.map((number) => `call-${number}`))
    expect(await verifyAudit(kept.map(auditLine), { head: log.head })).toMatchObject({ ok: true, entries: 2_000 })
  })

  it('refuses only the group of a failed write, and stores the others behind it', async () => {
    const { sink, batches, written, failed } = slowSink()
    const log = auditLog(sink)
    const ends = Promise.allSettled(Array.from({ length: 1_201 }, (_, number) => log.append(intentOf(number))))
    await written()
    await failed()
    await written()
    await written()
    const refused = (await ends).flatMap(({ status }, number) => (status === 'rejected' ? number : []))
    expect(refused).toEqual(Array.from({ length: 500 }, (_, number) => number + 1))
    expect(batches.map(({ length }) => length)).toEqual([1, 500, 500, 200])
    expect(log.head?.sequence).toBe(701)
  })

  it('stores a conditional group whole, however many records it has', async () => {
    const log = chainedLog(listSink().sink)
    const sizes: number[] = []
    await log.appendIf(
      Array.from({ length: 600 }, (_, number) => intentOf(number)),
      async (entries) => sizes.push(entries.length) > 0,
    )
    expect(sizes).toEqual([600])
  })

  it('chains a thousand records that are made at once', async () => {
    const kept: AuditEntry[] = []
    const log = auditLog({
      async write(entries) {
        await new Promise((resolve) => setTimeout(resolve, 1))
        kept.push(...entries)
      },
    })
    await Promise.all(Array.from({ length: 1_000 }, (_, number) => log.append(intentOf(number))))
    expect(await verifyAudit(kept.map(auditLine), { head: log.head })).toMatchObject({ ok: true, entries: 1_000 })
    expect(kept.map(({ text }) => JSON.parse(text).id)).toEqual(Array.from({ length: 1_000 }, (_, number) => `call-${number}`))
  })

  it('refuses exactly the records of a failed write, and continues from the state before', async () => {
    const { sink, batches, written, failed } = slowSink()
    const log = auditLog(sink)
    const ends = Promise.allSettled([1, 2, 3].map((number) => log.append(intentOf(number))))
    await written()
    await failed()
    const later = Promise.allSettled([4, 5].map((number) => log.append(intentOf(number))))
    await failed()
    await written()
    expect((await ends).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
    expect((await later).map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    expect(batches.map(sequences)).toEqual([[1], [2, 3], [2], [2]])
    const kept = [...(batches[0] ?? []), ...(batches[3] ?? [])]
    expect(await verifyAudit(kept.map(auditLine), { head: log.head })).toMatchObject({ ok: true, entries: 2 })
  })

  it('writes conditional batches alone or not at all, in order with the others', async () => {
    const { sink, batches, written } = slowSink()
    const log = chainedLog(sink)
    const groups: number[][] = []
    const keep = (isKept: boolean) => async (entries: readonly AuditEntry[]) => {
      groups.push(sequences(entries))
      if (isKept) batches.push([...entries])
      return isKept
    }
    const all = [
      log.append(intentOf(1)),
      log.appendIf([intentOf(2)], keep(false)),
      log.append(intentOf(3)),
      log.appendIf([intentOf(4), intentOf(5)], keep(true)),
      log.appendIf([intentOf(6)], () => Promise.reject(new Error('no'))).catch(String),
      log.append(intentOf(7)),
    ]
    await written()
    await written()
    expect(await Promise.all(all)).toEqual([undefined, false, undefined, true, 'Error: no', undefined])
    expect(groups).toEqual([[2], [4, 5]])
    expect(batches.map(sequences)).toEqual([[1], [2, 3], [4, 5]])
    expect(await verifyAudit(batches.flat().map(auditLine), { head: log.head })).toMatchObject({ ok: true, entries: 5 })
  })

  it('throws an error of the sink at once, and works again when the sink does', async () => {
    const { entries, sink } = listSink()
    let full = true
    const log = auditLog({ write: (written) => (full ? JSON.parse('{') : sink.write(written)) })
    expect(() => log.append(intentOf(1))).toThrow(SyntaxError)
    full = false
    log.append(intentOf(2))
    expect(sequences(entries)).toEqual([1])
  })

  it('queues at most 10,000 records', async () => {
    const { sink, batches, written } = slowSink()
    const log = auditLog(sink)
    const waiting = Array.from({ length: 10_001 }, (_, number) => log.append(intentOf(number)))
    expect(() => log.append(intentOf(0))).toThrow('10000 records wait')
    for (let write = 0; write < 21; write++) await written()
    await Promise.all(waiting)
    expect(batches.map(({ length }) => length)).toEqual([1, ...Array.from({ length: 20 }, () => 500)])
    const last = log.append(intentOf(0))
    await written()
    await last
    expect(log.head?.sequence).toBe(10_002)
  })

  it('refuses a record without a JSON form, and no other', () => {
    const { entries, sink } = listSink()
    const log = auditLog(sink)
    const round: { [name: string]: never } = {}
    Object.assign(round, { round })
    expect(() => log.append(intentOf(1, round))).toThrow(TypeError)
    log.append(intentOf(2))
    expect(sequences(entries)).toEqual([1])
  })

  it('keeps its order if a sink appends to it', async () => {
    const entries: AuditEntry[] = []
    let more: unknown
    const log = auditLog({
      write(written) {
        entries.push(...written)
        if (entries.length === 1) more = log.append(intentOf(2))
      },
    })
    log.append(intentOf(1))
    await more
    expect(await verifyAudit(entries.map(auditLine), { head: log.head })).toMatchObject({ ok: true, entries: 2 })
  })
})

describe('an existing log', () => {
  it.each(['at once', 'later'])('continues after its last entry, which is read %s', async (when) => {
    const { entries, sink } = listSink()
    const first = auditLog(sink)
    for (const number of [1, 2]) first.append(intentOf(number))
    const { head } = first
    let asked = 0
    const second = auditLog({
      ...sink,
      head() {
        asked++
        return when === 'later' ? Promise.resolve(head) : head
      },
    })
    await Promise.all([3, 4].map((number) => second.append(intentOf(number))))
    await second.append(intentOf(5))
    expect(asked).toBe(1)
    expect(await verifyAudit(entries.map(auditLine), { head: second.head })).toMatchObject({ ok: true, entries: 5 })
  })

  it.each([
    ['cannot be read', () => Promise.reject(new Error('no disk'))],
    ['is no hash', () => ({ sequence: 1, hash: '"' })],
    ['is no place', () => ({ sequence: 0.5, hash: '0'.repeat(64) })],
  ])('accepts no record while its last entry %s, and tries again', async (_, broken) => {
    const { entries, sink } = listSink()
    let fine = false
    const log = auditLog({ ...sink, head: () => (fine ? undefined : broken()) })
    await expect(log.append(intentOf(1))).rejects.toThrow()
    fine = true
    await log.append(intentOf(2))
    expect(sequences(entries)).toEqual([1])
  })
})

describe('a log with a write interval', () => {
  /** Records the time and the sequence numbers of each batch. */
  function pacedLog(paceMs: number) {
    const batches: { readonly at: number; readonly sequences: number[] }[] = []
    const write = async (entries: readonly AuditEntry[]) => {
      batches.push({ at: performance.now(), sequences: sequences(entries) })
    }
    return { log: auditLog({ paceMs, write }), batches }
  }

  it('writes the records of concurrent calls in one batch per interval', async () => {
    const { log, batches } = pacedLog(1_000)
    const first = [1, 2, 3].map((number) => log.append(intentOf(number)))
    await Promise.all(first)
    const later = [4, 5].map((number) => log.append(intentOf(number)))
    await new Promise((resolve) => setTimeout(resolve, 20))
    later.push(log.append(intentOf(6)))
    await Promise.all(later)
    expect(batches.map((batch) => batch.sequences)).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ])
    expectAfter(batches[1]!.at - batches[0]!.at, 995)
    expect(log.head?.sequence).toBe(6)
  })

  it('does not delay sequential calls', async () => {
    const { log, batches } = pacedLog(60_000)
    for (const number of [1, 2, 3, 4]) await log.append(intentOf(number))
    expect(batches.map((batch) => batch.sequences)).toEqual([[1], [2], [3], [4]])
  })
})

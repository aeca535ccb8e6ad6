import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AuditEntry, auditLine, entryAfter } from '../../../src/policy/audit/entry.js'
import { memoryAudit } from '../../../src/policy/audit/memory-log.js'
import { verifyAudit } from '../../../src/policy/audit/verify.js'
import { howMany } from '../../soak.js'
import { intentOf } from './records.js'

const log = memoryAudit()
for (let number = 1; number <= 200; number++) log.append(intentOf(number, { text: `número ${number} \u{1f511}` }))
const lines = log.lines()
const file = (written: readonly string[]) => written.map((line) => `${line}\n`).join('')
const { head } = log

const place = fc.integer({ min: 0, max: 199 })
const two = fc.uniqueArray(place, { minLength: 2, maxLength: 2 }).map((both) => both.sort((a, b) => a - b) as [number, number])
/** Verifies the lines as a list, and as a file in chunks of bytes. */
async function verdicts(changed: readonly string[]) {
  const bytes = new TextEncoder().encode(file(changed))
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000)
  }
  return [await verifyAudit(changed), await verifyAudit(pieces()), await verifyAudit(file(changed))]
}
async function foundAt(changed: readonly string[], index: number) {
  for (const verdict of await verdicts(changed))
    expect(verdict).toMatchObject({ ok: false, line: index + 1, sequence: index + 1 })
}

describe('an unchanged log', () => {
  it('is valid', async () => {
    for (const verdict of await verdicts(lines)) expect(verdict).toEqual({ ok: true, entries: 200, head })
    expect(
      await verifyAudit(
        lines.map((line) => `${line}\n`),
        { head },
      ),
    ).toMatchObject({ ok: true })
    expect(await verifyAudit(file(lines).split('\n'), { head })).toMatchObject({ ok: true })
    expect(await verifyAudit(new TextEncoder().encode(file(lines)), { head })).toMatchObject({ ok: true })
  })

  it('may be read in chunks that reuse the same memory', async () => {
    const bytes = new TextEncoder().encode(file(lines))
    async function* pieces() {
      const memory = new Uint8Array(1_000)
      for (let at = 0; at < bytes.length; at += memory.length) {
        const piece = bytes.subarray(at, at + memory.length)
        memory.set(piece)
        yield memory.subarray(0, piece.length)
      }
    }
    expect(await verifyAudit(pieces(), { head })).toMatchObject({ ok: true, entries: 200 })
  })

  it('may be empty', async () => {
    for (const verdict of await verdicts([])) expect(verdict).toEqual({ ok: true, entries: 0, head: undefined })
  })

  it('may be the later part of a log', async () => {
    const from = log.entries()[99]
    expect(await verifyAudit(lines.slice(100), { from, head })).toEqual({ ok: true, entries: 100, head })
    expect(await verifyAudit(lines.slice(100), { head })).toMatchObject({ ok: false, line: 1, sequence: 1 })
    expect(await verifyAudit(lines.slice(101), { from })).toMatchObject({ ok: false, line: 1, sequence: 101 })
  })
})

describe('every change is found, and the first bad record is named:', () => {
  it('a record that was edited in any place', async () => {
    const signs = fc.constantFrom('0', '1', 'f', '"', ' ', '}', ',', '\\', 'ü', '\r', '\ufffd')
    await fc.assert(
      fc.asyncProperty(
        place,
        fc.nat(),
        fc.constantFrom('replace', 'insert', 'delete'),
        signs,
        async (index, where, way, sign) => {
          const line = lines[index] ?? ''
          const at = where % line.length
          const changed = line.slice(0, at) + (way === 'delete' ? '' : sign) + line.slice(way === 'insert' ? at : at + 1)
          fc.pre(changed !== line)
          await foundAt(lines.with(index, changed), index)
        },
      ),
      { numRuns: howMany(12, 60) },
    )
  })

  it('a bit that was flipped in a file', async () => {
    const bytes = new TextEncoder().encode(file(lines.slice(0, 20)))
    const ends = [...bytes.keys()].filter((at) => bytes[at] === 0x0a)
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: bytes.length - 1 }), fc.nat({ max: 7 }), async (at, bit) => {
        const flipped = bytes.with(at, (bytes[at] ?? 0) ^ (1 << bit))
        const index = ends.findIndex((end) => end >= at)
        expect(await verifyAudit(flipped)).toMatchObject({ ok: false, line: index + 1 })
      }),
      { numRuns: howMany(20, 200) },
    )
  })

  it('a missing record', async () => {
    await fc.assert(
      fc.asyncProperty(place, async (index) => {
        fc.pre(index < 199)
        await foundAt(lines.toSpliced(index, 1), index)
      }),
      { numRuns: howMany(6, 30) },
    )
  })

  it('an inserted record: a different one, or one of the same log again', async () => {
    const other = memoryAudit()
    for (let number = 1; number <= 200; number++) other.append(intentOf(-number))
    await fc.assert(
      fc.asyncProperty(place, place, fc.boolean(), async (index, which, own) => {
        const inserted = (own ? lines : other.lines())[which] ?? ''
        fc.pre(own ? index !== which : index > 0 || which > 0)
        // If the inserted record is the one that belongs there, only its second occurrence is an error.
        await foundAt(lines.toSpliced(index, 0, inserted), index)
      }),
      { numRuns: howMany(12, 60) },
    )
    await foundAt(lines.toSpliced(7, 0, lines[7] ?? ''), 8)
    // The first record of another log is a valid beginning, but the real one does not follow it.
    await foundAt([other.lines()[0] ?? '', ...lines], 1)
  })

  it('records that were swapped or moved', async () => {
    await fc.assert(
      fc.asyncProperty(two, fc.boolean(), async ([first, second], swap) => {
        const moved = lines.toSpliced(second, 1).toSpliced(first, 0, lines[second] ?? '')
        const swapped = lines.with(first, lines[second] ?? '').with(second, lines[first] ?? '')
        await foundAt(swap ? swapped : moved, first)
      }),
      { numRuns: howMany(8, 40) },
    )
  })

  it('a record that was edited and hashed again: found by the next record', async () => {
    await fc.assert(
      fc.asyncProperty(place, async (index) => {
        fc.pre(index < 199)
        const members = (log.entries()[index]?.text ?? '').slice(1, -1).replace(/^"sequence":\d+,"previous":[^,]+,/, '')
        const forged = auditLine(entryAfter(log.entries()[index - 1], members.replace('eve', 'bob')))
        await foundAt(lines.with(index, forged), index + 1)
      }),
      { numRuns: howMany(5, 20) },
    )
  })

  it('a made-up sequence number, even if all hashes match', async () => {
    const forged = auditLine(entryAfter({ sequence: 500, hash: log.entries()[198]?.hash ?? '' }, '"kind":"intent"'))
    await foundAt(lines.with(199, forged), 199)
  })

  it('a stored text in another place, or with another last character, or none', async () => {
    const { text, hash, sequence } = log.entries()[5] as AuditEntry
    for (const end of ['', ']', ' ', '}}', 'x}']) {
      const line = auditLine({ sequence, hash, text: `${text.slice(0, -1)}${end}` })
      await foundAt(lines.with(5, line), 5)
    }
    await foundAt(lines.with(5, auditLine({ sequence: sequence - 1, hash, text })), 5)
  })

  it('an empty line', async () => {
    await foundAt(lines.toSpliced(3, 0, ''), 3)
    expect(await verifyAudit(`${file(lines)}\n`)).toMatchObject({ ok: false, line: 201 })
  })

  it('a placeholder without its text', async () => {
    const odd = memoryAudit()
    odd.append(intentOf(1, { text: '\ufffd' }))
    const [line = ''] = odd.lines()
    const [before = '', after = ''] = line.split('\ufffd')
    expect(await verifyAudit([`${before}\ud800${after}`])).toMatchObject({ ok: false, line: 1 })
    const bytes = Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(`${after}\n`)])
    expect(await verifyAudit(bytes)).toMatchObject({ ok: false, line: 1 })
    expect(await verifyAudit(`${line}\n`)).toMatchObject({ ok: true })
  })
})

describe('the head of a log', () => {
  it('is needed to detect missing records at the end', async () => {
    const cut = lines.slice(0, 150)
    expect(await verifyAudit(cut)).toMatchObject({ ok: true, entries: 150 })
    expect(await verifyAudit(cut, { head })).toMatchObject({
      ok: false,
      line: 151,
      sequence: 151,
      why: expect.stringContaining('200'),
    })
    expect(await verifyAudit([], { head })).toMatchObject({ ok: false, line: 1, sequence: 1 })
  })

  it.each([0, -1, 1.5, Number.NaN, 2 ** 53])('is invalid with the sequence number %s', async (sequence) => {
    const hash = '0'.repeat(64)
    await expect(verifyAudit([], { head: { sequence, hash } })).rejects.toThrow(TypeError)
    await expect(verifyAudit([], { from: { sequence, hash } })).rejects.toThrow(TypeError)
  })

  it('may be older than the end of the log', async () => {
    expect(await verifyAudit(lines, { head: log.entries()[99] })).toMatchObject({ ok: true, entries: 200 })
  })

  it('does not match a log that was rewritten', async () => {
    const other = memoryAudit()
    for (let number = 1; number <= 210; number++) other.append(intentOf(-number))
    expect(await verifyAudit(other.lines(), { head })).toMatchObject({
      ok: false,
      line: 200,
      why: expect.stringContaining('rewritten'),
    })
    const from = other.entries()[199]
    const later = other.lines().slice(200)
    expect(await verifyAudit(later, { from })).toMatchObject({ ok: true, entries: 10 })
    expect(await verifyAudit(later, { from, head })).toMatchObject({ ok: false, why: expect.stringContaining('rewritten') })
    const early = other.entries()[1]
    expect(await verifyAudit(later, { from, head: early })).toMatchObject({ ok: false, why: expect.stringContaining('before') })
  })

  it('is that of the previous record if the last line was torn at any position', async () => {
    const whole = new TextEncoder().encode(file(lines.slice(0, 3)))
    const begin = new TextEncoder().encode(file(lines.slice(0, 2))).length
    const before = log.entries()[1] as AuditEntry
    for (let end = begin + 1; end < whole.length; end++) {
      expect(await verifyAudit(whole.subarray(0, end))).toEqual({
        ok: false,
        line: 3,
        sequence: 3,
        why: expect.stringContaining('incomplete'),
        head: { sequence: 2, hash: before.hash },
      })
    }
    expect(await verifyAudit([...lines.slice(0, 2), lines[2]?.slice(0, -9) ?? ''])).toMatchObject({
      why: expect.stringContaining('incomplete'),
    })
  })
})

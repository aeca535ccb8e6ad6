// The exported log of several gateways, built here without a database: tampering without the key is detected.
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { type AuditEntry, type AuditHead, auditLine, auditLog } from 'toolwire/guard'
import { expect, it } from 'vitest'
import { entryAfter, readAuditLine } from '../../../toolwire/src/policy/audit/entry.js'
import { howMany } from '../../../toolwire/test/soak.js'
import { headSigner, newSigningKey } from '../../src/store/audit/signed-head.js'
import { verifyExport } from '../../src/store/audit/verify-export.js'
import {
  type Checkpoint,
  type CheckpointContent,
  type LogBeginning,
  newCheckpoint,
  placeOf,
} from '../../src/store/postgres/audit/checkpoint.js'
import { intentOf } from '../support/stores.js'

const signer = headSigner(newSigningKey())

/** The size of a stream, how many of its first records were dropped, and how many others were signed before that. */
type Written = { readonly size: number; readonly dropped: number; readonly signed: number }
type Exported = {
  readonly lines: string[]
  readonly head: AuditHead
  readonly streams: readonly AuditEntry[][]
  readonly copied: number
}

function chain(size: number): AuditEntry[] {
  const entries: AuditEntry[] = []
  const log = auditLog({ write: (some) => void entries.push(...some) })
  for (let n = 1; n <= size; n++) void log.append(intentOf(n, { id: randomUUID(), caller: 'Zo\u00eb \ufffd' }))
  return entries
}

const lineOf = ({ number, hash, text, signature }: Checkpoint) => JSON.stringify({ checkpoint: number, signature, text, hash })
const place = (entry: AuditEntry | undefined) => (entry ? placeOf(entry) : null)

/** A tombstone, if records were dropped, and a checkpoint for every record of each stream in turn. */
function exported(written: readonly Written[], isCopied: boolean): Exported {
  const streams = written.map(({ size }) => chain(size))
  const names = streams.map(() => randomUUID())
  const checkpoints: Checkpoint[] = []
  let head: AuditHead | undefined
  const add = (heads: { [stream: string]: readonly [number, string] }, begins?: LogBeginning) => {
    const checkpoint = newCheckpoint(head, { heads, at: 1, ...(begins && { begins }) }, signer)
    checkpoints.push(checkpoint)
    head = { sequence: checkpoint.number, hash: checkpoint.hash }
  }
  const [first] = streams
  const copied = isCopied && first ? { stream: names[0] ?? '', last: first.length } : undefined
  if (copied) head = first?.at(-1)
  const before = head
  const begins = {
    checkpoint: before ? placeOf(before) : null,
    streams: Object.fromEntries(
      written.map(({ dropped, signed }, nth) => {
        const [from, head] = [dropped, signed].map((sequence) => place(streams[nth]?.[sequence - 1]))
        return [names[nth] ?? '', { from: from ?? null, head: head ?? null }]
      }),
    ),
    gone: [],
    ...(copied && { copied }),
  }
  if (copied || written.some(({ signed }) => signed > 0)) add({}, begins)
  for (const [nth, entries] of streams.entries())
    for (const entry of entries.slice(written[nth]?.signed)) add({ [names[nth] ?? '']: placeOf(entry) })
  const records = streams.flatMap((entries, nth) => [
    JSON.stringify({ stream: names[nth], ends: entries.length }),
    ...entries.slice(written[nth]?.dropped).map(auditLine),
  ])
  if (!head) throw new Error('There is a checkpoint')
  return { lines: [...checkpoints.map(lineOf), ...records], head, streams, copied: copied?.last ?? 0 }
}

const membersOf = (text: string) => text.slice(1, -1).replace(/^"sequence":\d+,"previous":(?:null|"\w+"),/, '')

function chainAfter(before: AuditHead | undefined, members: readonly string[]): AuditEntry[] {
  let last = before
  return members.map((one) => {
    const entry = entryAfter(last, one)
    last = entry
    return entry
  })
}

/** The head before this record, from the hash in this record. */
const headBefore = (entry: AuditEntry | undefined): AuditHead | undefined => {
  const { 1: hash } = /"previous":"(\w+)"/.exec(entry?.text ?? '') ?? []
  return entry && hash !== undefined ? { sequence: entry.sequence - 1, hash } : undefined
}

async function* pieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
const bytesOf = (lines: readonly string[]) => Buffer.from(lines.map((line) => `${line}\n`).join(''))
const verdictOn = (lines: readonly string[], head?: AuditHead) => verifyExport(pieces(bytesOf(lines), 997), { head })

const logs = {
  written: fc.array(
    fc
      .tuple(fc.integer({ min: 2, max: 5 }), fc.nat({ max: 5 }), fc.nat({ max: 5 }))
      .map(([size, some, more]) => ({ size, dropped: Math.min(size, some), signed: Math.min(size, Math.max(some, more)) })),
    { minLength: 1, maxLength: 3 },
  ),
  isCopied: fc.boolean(),
  at: fc.nat({ max: 999 }),
}

it('verifies if unchanged, in chunks of any size, with every published head', async () => {
  await fc.assert(
    fc.asyncProperty(fc.record(logs), fc.integer({ min: 20, max: 2_000 }), async ({ written, isCopied }, size) => {
      const { lines, head, streams, copied } = exported(written, isCopied)
      const entries = written.reduce((sum, one) => sum + one.size - one.dropped, 0)
      expect(await verifyExport(pieces(bytesOf(lines), size), { head })).toEqual({
        ...{ ok: true, entries, key: signer.publicKey },
        head: { sequence: head.sequence, hash: head.hash },
      })
      const differs = { ok: false, why: expect.stringContaining('differs') }
      expect(await verdictOn(lines, { ...head, hash: '0'.repeat(64) })).toMatchObject(differs)
      const own = streams[0]?.slice(written[0]?.dropped).at(-1)
      const gone = streams[0]?.[(written[0]?.dropped ?? 0) - 1]
      if (gone && gone.sequence <= copied) expect(await verdictOn(lines, gone)).toMatchObject({ ok: true })
      if (copied === 0 || !own) return
      expect(await verdictOn(lines, own)).toMatchObject({ ok: true })
      expect(await verdictOn(lines, { sequence: own.sequence, hash: head.hash })).toMatchObject(differs)
    }),
    { numRuns: howMany(20, 200) },
  )
})

/** Removes the lines of streams without records. */
const withRecords = (lines: readonly string[]) =>
  lines.filter((line, at) => !line.startsWith('{"stream"') || lines[at + 1]?.startsWith('{"sequence"'))

it('reveals a removed, repeated or moved line, and a truncated file', async () => {
  const how = fc.constantFrom('out', 'again', 'moved', 'end')
  await fc.assert(
    fc.asyncProperty(fc.record(logs), how, fc.nat({ max: 999 }), async ({ written, isCopied, at }, how, to) => {
      const { lines, head } = exported(written, isCopied)
      const index = at % lines.length
      const kept = how === 'again' ? [...lines] : lines.toSpliced(index, how === 'end' ? lines.length : 1)
      const changed = how === 'out' || how === 'end' ? kept : kept.toSpliced(to % (kept.length + 1), 0, lines[index] ?? '')
      // The next checkpoint contains the hash of the removed one, even if both have the same heads.
      expect(await verdictOn(lines.slice(1), head)).toMatchObject({ ok: false })
      fc.pre(withRecords(changed).join() !== withRecords(lines).join())
      expect(await verdictOn(changed, head)).toMatchObject({ ok: false, why: expect.stringMatching(/./) })
    }),
    { numRuns: howMany(60, 2_000) },
  )
})

it('reveals a flipped bit, and a byte in the place of a replacement character', async () => {
  await fc.assert(
    fc.asyncProperty(fc.record(logs), fc.nat(), fc.nat({ max: 7 }), async ({ written, isCopied }, where, bit) => {
      const { lines, head } = exported(written, isCopied)
      const bytes = bytesOf(lines)
      const at = where % bytes.length
      bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
      const verdict = await verifyExport(pieces(bytes, 997), { head })
      // The number of records in a stream line is unsigned: a note for readers.
      const line = bytes.subarray(0, at).toString().split('\n').length
      fc.pre(!lines[line - 1]?.startsWith('{"stream"'))
      expect(verdict).toMatchObject({ ok: false, why: expect.stringMatching(/./) })
    }),
    { numRuns: howMany(100, 2_000) },
  )
  const { lines, head } = exported([{ size: 2, dropped: 0, signed: 0 }], false)
  const bytes = bytesOf(lines)
  const at = bytes.indexOf('\ufffd')
  const torn = Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff]), bytes.subarray(at + 3)])
  expect(await verifyExport(pieces(torn, 997), { head })).toMatchObject({ ok: false })
})

it('reveals a stream that was rewritten or continued with matching hashes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.record(logs), fc.boolean(), async ({ written, isCopied, at }, isLonger) => {
      const { lines, head } = exported(written, isCopied)
      const index = lines.findIndex((line) => line.startsWith('{"sequence":'))
      fc.pre(index >= 0)
      const end = lines.findIndex((line, nth) => nth > index && line.startsWith('{"stream":'))
      const records = lines.slice(index, end < 0 ? lines.length : end).flatMap((line) => readAuditLine(line) ?? [])
      const from = isLonger ? records.length : at % records.length
      const before = records[from - 1] ?? headBefore(records[0])
      const members = isLonger
        ? ['"kind":"intent"']
        : records.slice(from).map(({ text }) => membersOf(text).replace('"send"', '"sent"'))
      const forged = [...records.slice(0, from), ...chainAfter(before, members)].map(auditLine)
      fc.pre(isLonger || forged.join() !== records.map(auditLine).join())
      const verdict = await verdictOn(lines.toSpliced(index, records.length, ...forged), head)
      expect(verdict).toMatchObject({ ok: false, why: expect.stringContaining('Stream') })
    }),
    { numRuns: howMany(20, 200) },
  )
})

it('rejects a checkpoint of another continuation, even a signed one', async () => {
  const { lines, head } = exported([{ size: 3, dropped: 0, signed: 0 }], false)
  const [, second = ''] = lines
  const content = JSON.parse((JSON.parse(second) as Checkpoint).text) as CheckpointContent
  const { text, hash, number, signature } = newCheckpoint({ sequence: 1, hash: '0'.repeat(64) }, content, signer)
  const forked = lines.with(1, lineOf({ text, hash, number, signature }))
  expect(await verdictOn(forked)).toMatchObject({ ok: false, sequence: 2, why: expect.stringContaining('another hash') })
  const byOther = newCheckpoint(head, { heads: {}, at: 1 }, headSigner(newSigningKey()))
  const longer = lines.toSpliced(3, 0, lineOf(byOther))
  expect(await verdictOn(longer)).toMatchObject({ ok: false, sequence: 4, why: expect.stringContaining('not signed') })
})

it('rejects a checkpoint with a signature for another purpose, or of another key', async () => {
  const { lines, head } = exported([{ size: 3, dropped: 0, signed: 0 }], false)
  const last = JSON.parse(lines[2] ?? '') as { signature: string; text: string }
  const given = [signer.sign(head, 'head').signature, signer.sign(head, 'retention').signature, signer.seal(last.text)]
  for (const signature of [...given, headSigner(newSigningKey()).signCheckpoint(last.text)]) {
    const forged = lines.with(2, JSON.stringify({ ...last, signature }))
    expect(await verdictOn(forged)).toMatchObject({ ok: false, sequence: 3, why: expect.stringContaining('not signed') })
  }
})

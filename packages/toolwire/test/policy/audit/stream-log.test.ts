import { createReadStream, createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { afterAll, describe, expect, it } from 'vitest'
import { auditTo } from '../../../src/policy/audit/stream-log.js'
import { verifyAudit } from '../../../src/policy/audit/verify.js'
import { intentOf } from './records.js'

const folder = mkdtempSync(join(tmpdir(), 'audit-'))
afterAll(() => rmSync(folder, { recursive: true }))

const ended = (stream: Writable) => new Promise((resolve) => stream.end(resolve))

describe('an audit log in a file', () => {
  it('writes a line for each record before it resolves, and continues after a restart', async () => {
    const file = join(folder, 'log.ndjson')
    const first = createWriteStream(file, { flags: 'a' })
    const log = auditTo(first)
    for (let number = 1; number <= 3; number++) {
      await log.append(intentOf(number))
      expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(number + 1)
    }
    await ended(first)
    const before = await verifyAudit(createReadStream(file))
    expect(before).toMatchObject({ ok: true, entries: 3, head: log.head })
    const second = createWriteStream(file, { flags: 'a' })
    const later = auditTo(second, { head: before.head })
    await Promise.all(Array.from({ length: 100 }, (_, number) => later.append(intentOf(number))))
    await ended(second)
    expect(await verifyAudit(createReadStream(file), { head: later.head })).toMatchObject({ ok: true, entries: 103 })
    expect(await verifyAudit(createInterface({ input: createReadStream(file) }), { head: later.head })).toMatchObject({
      ok: true,
    })
  })

  it.runIf(existsSync('/dev/full'))('refuses records when the disk is full, and does not end the process', async () => {
    const log = auditTo(createWriteStream('/dev/full'))
    const ends = await Promise.allSettled([1, 2, 3].map((number) => log.append(intentOf(number))))
    expect(ends).toMatchObject(Array.from(ends, () => ({ status: 'rejected', reason: { cause: { code: 'ENOSPC' } } })))
    await expect(log.append(intentOf(4))).rejects.toThrow('continue the log in a new stream')
    expect(log.head).toBeUndefined()
  })

  it('refuses records when the file cannot be opened', async () => {
    const log = auditTo(createWriteStream(join(folder, 'missing', 'log.ndjson')))
    await expect(log.append(intentOf(1))).rejects.toMatchObject({ cause: { code: 'ENOENT' } })
  })

  it('refuses records after a failure, because the file may end with half a line', async () => {
    let written = ''
    let full = false
    const stream = new Writable({
      autoDestroy: false,
      write(chunk, _, done) {
        written += full ? String(chunk).slice(0, 20) : chunk
        done(full ? new Error('disk full') : null)
      },
    })
    const log = auditTo(stream)
    await log.append(intentOf(1))
    full = true
    await expect(log.append(intentOf(2))).rejects.toThrow()
    full = false
    await expect(log.append(intentOf(3))).rejects.toThrow()
    expect(await verifyAudit(written)).toMatchObject({
      ok: false,
      line: 2,
      why: expect.stringContaining('incomplete'),
      head: log.head,
    })
  })
})

describe('an audit log in a web stream', () => {
  it('waits until each write is done', async () => {
    const pieces: Uint8Array[] = []
    let take = () => {}
    const stream = new WritableStream<Uint8Array>({
      async write(piece) {
        await new Promise<void>((resolve) => {
          take = resolve
        })
        pieces.push(piece)
      },
    })
    const log = auditTo(stream)
    let safe = false
    const first = Promise.resolve(log.append(intentOf(1))).then(() => {
      safe = true
    })
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect([safe, pieces.length]).toEqual([false, 0])
    take()
    await first
    expect(await verifyAudit(pieces, { head: log.head })).toMatchObject({ ok: true, entries: 1 })
  })

  it('refuses records when the stream fails', async () => {
    const stream = new WritableStream<Uint8Array>({ write: () => Promise.reject(new Error('gone')) })
    const log = auditTo(stream)
    await expect(log.append(intentOf(1))).rejects.toMatchObject({ cause: { message: 'gone' } })
    await expect(log.append(intentOf(2))).rejects.toThrow()
  })
})

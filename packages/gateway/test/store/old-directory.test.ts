// A data directory from before signatures had purposes. The JSON file names the commit that made it.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { programFolder, startProgram } from '../faults/built-program.js'
import { childPeer } from '../faults/peer.js'
import { ask, client } from '../support/running-gateway.js'
import { append, intentOf, newDirectory, newStore } from '../support/stores.js'
import { markIn, tamper } from '../support/tampered-log.js'
import old from './old-directory.json' with { type: 'json' }

function oldDirectory(): string {
  const directory = newDirectory()
  for (const [name, packed] of Object.entries(old.files))
    writeFileSync(join(directory, name), gunzipSync(Buffer.from(packed, 'base64')), { mode: 0o600 })
  return directory
}

async function opened(directory: string) {
  const notes: string[] = []
  const store = await newStore({ onNote: (words) => notes.push(words) }, directory)
  return { store, notes }
}

const cutAt = (head: { readonly sequence: number }) =>
  `DELETE FROM audit WHERE sequence <= ${head.sequence}; UPDATE state SET value = '${JSON.stringify(head)}' WHERE name = 'from'`

const renewals = 'toolwire/renew-retention-mark'

describe('a data directory of the previous version', () => {
  it('opens, verifies, accepts its old heads, and reports once that its beginning was signed again', async () => {
    const directory = oldDirectory()
    const first = await opened(directory)
    expect(first.notes).toEqual([expect.stringMatching(/^The audit log begins after record 8\..*"retention"/)])
    expect(markIn(directory)).toMatchObject({ sequence: 8 })
    expect(await first.store.audit.verify({ head: old.heads.late })).toMatchObject({ ok: true, entries: 16 })
    expect(await first.store.audit.checkWitnessed([old.heads.early])).toEqual({ ok: true, heads: 1, dropped: 0 })
    const { calls } = await first.store.audit.search({ tool: renewals })
    expect(calls).toMatchObject([{ sequence: 23, ended: 24, caller: 'toolwire', outcome: 'ok' }])
    expect((await first.store.audit.record(23))?.record).toMatchObject({ arguments: { sequence: 8 } })
    await append(first.store, intentOf(99))
    await first.store.close()

    const again = await opened(directory)
    expect(again.notes).toEqual([])
    expect(await again.store.audit.verify({ head: old.heads.late })).toMatchObject({ ok: true, entries: 17 })
    expect(await again.store.audit.retain({ records: 5 })).toBe(12)
    expect(await again.store.audit.verify()).toMatchObject({ ok: true, entries: 5 })
  })

  it('is migrated once: afterwards an old head in place of the retention mark is detected', async () => {
    const directory = oldDirectory()
    const first = await opened(directory)
    await first.store.close()
    tamper(directory, cutAt(old.heads.early))
    const { store, notes } = await opened(directory)
    expect(notes).toEqual([])
    expect(await store.audit.verify()).toMatchObject({ ok: false, sequence: 1, why: expect.stringContaining('audit.format') })
    await expect(store.audit.retain({ records: 2 })).rejects.toThrow('Old records are missing')
    await store.close()

    // The message tells an operator who restored an old backup to remove this file.
    rmSync(join(directory, 'audit.format'))
    expect(await (await opened(directory)).store.audit.verify()).toMatchObject({ ok: true })
  })

  it.each([
    ['whose log does not continue from the mark', 'DELETE FROM audit WHERE sequence = 9'],
    ['whose mark is unsigned', `UPDATE state SET value = json_set(value, '$.sequence', 9) WHERE name = 'from'`],
    ['whose mark is invalid JSON', `UPDATE state SET value = 'x' WHERE name = 'from'`],
  ])('is rejected %s', async (_, how) => {
    const directory = oldDirectory()
    tamper(directory, how)
    const { store, notes } = await opened(directory)
    expect(notes).toEqual([])
    expect(await store.audit.verify()).toMatchObject({ ok: false, sequence: 1 })
    expect((await store.audit.search({ tool: renewals })).calls).toEqual([])
    expect(existsSync(join(directory, 'audit.format'))).toBe(true)
  })

  it('keeps its key', async () => {
    const directory = oldDirectory()
    const before = readFileSync(join(directory, 'audit.key'), 'utf8')
    const { store } = await opened(directory)
    expect(store.audit.publicKey).toBe(old.heads.late.key)
    expect(readFileSync(join(directory, 'audit.key'), 'utf8')).toBe(before)
  })

  it('serves a gateway, whose first start reports the change, and whose log continues', async () => {
    const dataDir = oldDirectory()
    const folder = programFolder()
    const start = () =>
      startProgram({
        folder,
        servers: { good: childPeer('none', 'per-request').target },
        settings: { guard: { approvals: false } },
        dataDir,
      })
    const first = await start()
    expect(first.log()).toMatch(/The audit log begins after record 8/)
    expect(first.log()).toMatch(/management\.token/)
    const caller = await client(first.url)
    expect(await caller.call('good__sum', { a: 1, b: 2 })).toMatchObject({ isError: false, content: [{ text: '3' }] })
    await caller.close()
    expect((await ask(first, '/audit/verify')).body).toMatchObject({ ok: true })
    const { calls } = (await ask(first, '/audit?text=good')).body as { calls: { outcome: string }[] }
    expect(calls.map(({ outcome }) => outcome)).toContain('ok')
    await first.stop()
    const second = await start()
    expect(second.log()).not.toMatch(/The audit log begins|management\.token/)
    await second.stop()
  })
})

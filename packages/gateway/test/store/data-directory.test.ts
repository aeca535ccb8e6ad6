import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readOrCreateSecret } from '../../src/store/data-directory.js'
import { openStore } from '../../src/store/open-store.js'
import { start } from '../programs/child-processes.js'
import { builtWorker } from '../support/build-program.js'
import { append, intentOf, newDirectory, newStore } from '../support/stores.js'
import { tamper } from '../support/tampered-log.js'

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe('the data directory', () => {
  it('is accessible only to its owner, with all its files, even if its mode was open before', async () => {
    const directory = newDirectory()
    chmodSync(directory, 0o755)
    const store = await newStore({}, join(directory, 'deep', 'data'))
    await append(store, intentOf(1))
    await store.vault.tokens('mail', 'ada').set('a', 'b')
    const inner = join(directory, 'deep', 'data')
    expect(modeOf(inner)).toBe('700')
    const files = readdirSync(inner)
    expect(files).toEqual(expect.arrayContaining(['toolwire.db', 'toolwire.db-wal', 'audit.key', 'vault.key', 'toolwire.pid']))
    expect(files.map((file) => modeOf(join(inner, file)))).toEqual(files.map(() => '600'))
    chmodSync(inner, 0o755)
    chmodSync(join(inner, 'toolwire.db'), 0o644)
    await store.close()
    await newStore({}, inner)
    expect([modeOf(inner), modeOf(join(inner, 'toolwire.db'))]).toEqual(['700', '600'])
  })

  it('is created for a key alone when the data is in a database', async () => {
    const directory = join(newDirectory(), 'new')
    expect(await readOrCreateSecret(join(directory, 'a.key'), () => 'secret')).toBe('secret')
    expect([modeOf(directory), modeOf(join(directory, 'a.key'))]).toEqual(['700', '600'])
  })

  it('explains what to do if its path is unusable', async () => {
    const file = join(newDirectory(), 'file')
    writeFileSync(file, '')
    await expect(newStore({}, join(file, 'data'))).rejects.toThrow(
      /data directory .*file\/data cannot be written .* Make it writable/,
    )
  })

  it('is not opened by a version that does not know the file, nor if the file is something else', async () => {
    const directory = newDirectory()
    await (await newStore({}, directory)).close()
    tamper(directory, 'PRAGMA user_version=99')
    await expect(newStore({}, directory)).rejects.toThrow('has version 99, made by a newer Toolwire')
    const other = newDirectory()
    writeFileSync(
      join(other, 'toolwire.db'),
      'no database at all, but text that is long enough to be looked at as one'.repeat(20),
    )
    await expect(newStore({}, other)).rejects.toThrow('no file of Toolwire')
  })
})

describe('a second instance', () => {
  it('is refused, with the name of the first, and does not disturb it', async () => {
    const directory = newDirectory()
    const store = await newStore({}, directory)
    await expect(newStore({}, directory)).rejects.toThrow(
      new RegExp(`in use by process ${process.pid}, since 20.*Stop that process first`),
    )
    const other = await start('commanded.program.ts', directory)
    expect(await other.untilLine(/^failed/)).toContain(`in use by process ${process.pid}`)
    await append(store, intentOf(1))
    await store.close()
    expect(existsSync(join(directory, 'toolwire.pid'))).toBe(false)
    const next = await start('commanded.program.ts', directory)
    await next.untilLine(/^ready/)
    await expect(newStore({}, directory)).rejects.toThrow(`in use by process ${next.process.pid}`)
  })

  it('is accepted as soon as the first has been killed', async () => {
    const directory = newDirectory()
    const child = await start('commanded.program.ts', directory)
    await child.untilLine(/^ready/)
    child.process.kill('SIGKILL')
    await child.ended
    expect(readFileSync(join(directory, 'toolwire.pid'), 'utf8')).toContain(`${child.process.pid}`)
    const store = await openStore(directory, { worker: await builtWorker() })
    await store.close()
  })
})

describe('a closed store', () => {
  it('has completed its earlier requests, and accepts no new ones', async () => {
    const directory = newDirectory()
    const store = await newStore({}, directory)
    const written = append(store, intentOf(1))
    await store.close()
    await written
    await expect(append(store, intentOf(2))).rejects.toThrow('The store is closed')
    await store.close()
    expect((await newStore({}, directory)).audit.head?.sequence).toBe(1)
  })
})

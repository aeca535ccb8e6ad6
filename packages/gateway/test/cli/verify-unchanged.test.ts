// `audit verify --data-dir` only reads: a log may lie on a read-only medium, or be evidence.
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import old from '../store/old-directory.json' with { type: 'json' }
import { commandHere } from '../support/command-here.js'
import { openDatabase } from '../support/open-database.js'
import { append, intentOf, newDirectory, newStore, outcomeOf } from '../support/stores.js'
import { tamper } from '../support/tampered-log.js'

const env = { HOME: '/nowhere', PATH: process.env.PATH }
const verify = (directory: string, ...more: string[]) =>
  commandHere(['audit', 'verify', '--json', '--data-dir', directory, ...more], { env })

/** The names, bytes, modes and times of all files, and of the directory itself. */
const stateOf = (directory: string) =>
  ['.', ...readdirSync(directory)].map((name) => {
    const { mode, mtimeMs, size } = statSync(join(directory, name))
    const hash =
      name === '.'
        ? ''
        : createHash('sha256')
            .update(readFileSync(join(directory, name)))
            .digest('hex')
    return { name, mode, mtimeMs, size, hash }
  })

function makeReadOnly(directory: string): void {
  for (const name of readdirSync(directory)) chmodSync(join(directory, name), 0o400)
  chmodSync(directory, 0o500)
  onTestFinished(() => chmodSync(directory, 0o700))
}

/** In this process, SQLite may still share the files of an earlier connection. */
function copyOf(directory: string): string {
  const copy = newDirectory()
  cpSync(directory, copy, { recursive: true })
  return copy
}

/** The files as they are while the gateway runs, with its last records in the write-ahead log. Nothing locks the copy. */
async function copyWithLog(): Promise<string> {
  const directory = newDirectory()
  await append(await newStore({}, directory), intentOf(1), outcomeOf(1), intentOf(2), outcomeOf(2))
  const copy = copyOf(directory)
  expect(statSync(join(copy, 'toolwire.db-wal')).size).toBeGreaterThan(0)
  return copy
}

const places: readonly (readonly [string, () => Promise<string>])[] = [
  [
    'of a gateway that was stopped',
    async () => {
      const directory = newDirectory()
      const store = await newStore({}, directory)
      await append(store, intentOf(1), outcomeOf(1), intentOf(2), outcomeOf(2))
      await store.close()
      return directory
    },
  ],
  ['with records in the write-ahead log', copyWithLog],
  [
    'that SQLite has copied',
    async () => {
      const directory = await copyWithLog()
      const database = openDatabase(directory)
      database.exec(`VACUUM INTO '${join(directory, 'whole.db')}'`)
      database.close()
      for (const name of ['toolwire.db-wal', 'toolwire.db-shm', 'toolwire.lock']) rmSync(join(directory, name), { force: true })
      renameSync(join(directory, 'whole.db'), join(directory, 'toolwire.db'))
      return directory
    },
  ],
]

describe.each(places)('a data directory %s', (_, make) => {
  it('is verified without any change, and may be read-only', async () => {
    const directory = await make()
    makeReadOnly(directory)
    const before = stateOf(directory)
    const { code, stdout, stderr } = await verify(directory)
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, entries: 4, head: { sequence: 4 } })
    expect(stateOf(directory)).toEqual(before)
  })

  it('whose log was altered is found out', async () => {
    const altered = await make()
    tamper(altered, `UPDATE audit SET text = replace(text, 'eve', 'ada') WHERE sequence = 3`)
    const directory = copyOf(altered)
    const before = stateOf(directory)
    const { code, stdout } = await verify(directory)
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { ok: false, sequence: 3 }])
    expect(stateOf(directory)).toEqual(before)
  })
})

describe('a data directory', () => {
  it('of an older version is verified with the tables that it has', async () => {
    const directory = newDirectory()
    for (const [name, packed] of Object.entries(old.files))
      writeFileSync(join(directory, name), gunzipSync(Buffer.from(packed, 'base64')), { mode: 0o600 })
    makeReadOnly(directory)
    const before = stateOf(directory)
    const { sequence, hash } = old.heads.late
    const { code, stdout } = await verify(directory, '--head', `${sequence}:${hash}`)
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { ok: true, entries: 14 }])
    expect(stateOf(directory)).toEqual(before)
  })

  it('of a newer version is refused', async () => {
    const directory = await copyWithLog()
    tamper(directory, 'PRAGMA user_version=99')
    expect(await verify(directory)).toMatchObject({ code: 1, stderr: expect.stringContaining('made by a newer Toolwire') })
  })

  it('is refused if a part of the write-ahead log is missing', async () => {
    const directory = await copyWithLog()
    rmSync(join(directory, 'toolwire.db-shm'))
    const before = stateOf(directory)
    expect(await verify(directory)).toMatchObject({ code: 1, stderr: expect.stringContaining('toolwire.db-shm') })
    expect(stateOf(directory)).toEqual(before)
  })
})

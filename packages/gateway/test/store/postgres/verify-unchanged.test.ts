// `audit verify` on a shared database without a gateway only reads: whoever verifies a copy must not change how its log goes on.
import { copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../../toolwire/test/postgres-server.js'
import { copyToDirectory } from '../../../src/store/copy/copy-to-directory.js'
import { copyToPostgres } from '../../../src/store/copy/copy-to-postgres.js'
import { commandHere } from '../../support/command-here.js'
import { inDatabase, newPostgresStore } from '../../support/postgres-stores.js'
import { append, intentOf, newDirectory, newStore, outcomeOf } from '../../support/stores.js'

const options = { keys: {}, onProgress: () => undefined }
const ownKeys = { vaultKey: '', auditKey: '' }
const call = (n: number) => [intentOf(n), outcomeOf(n)]

describe.skipIf(!postgresFound)('audit verify on a database', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await postgresServer()
  })
  afterAll(() => server.close())

  const verify = (url: string, directory: string, ...more: string[]) =>
    commandHere(['audit', 'verify', '--data-dir', directory, ...more], {
      env: { HOME: '/nowhere', PATH: process.env.PATH, TOOLWIRE_STORE: url },
    })

  async function contents(url: string): Promise<unknown> {
    const tables = await inDatabase<{ name: string }>(
      url,
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'toolwire' ORDER BY 1`,
    )
    return Promise.all(
      tables.map(async ({ name }) => [name, await inDatabase(url, `SELECT t::text FROM toolwire.${name} t ORDER BY 1`)]),
    )
  }

  async function copied() {
    const [directory, url] = [newDirectory(), await server.database()]
    const store = await newStore({}, directory)
    await append(store, ...call(1), ...call(2))
    const head = store.audit.signHead()
    await store.close()
    await copyToPostgres(directory, url, options)
    return { directory, url, head }
  }

  it('changes nothing, so that a copy is the old chain again afterwards', async () => {
    const { directory, url, head } = await copied()
    // The collector closes the database of the store at some time, which removes its write-ahead log.
    const files = () => readdirSync(directory).filter((name) => !name.startsWith('toolwire.db-'))
    const before = [await contents(url), files()]
    const verified = await verify(url, directory, '--head', `${head?.sequence}:${head?.hash}`)
    expect(verified).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('The log is intact: 4 records') })
    expect(verified.stdout).toContain('Verified: postgres://')
    expect([await contents(url), files()]).toEqual(before)
    const back = newDirectory()
    for (const name of ['vault.key', 'audit.key']) copyFileSync(join(directory, name), join(back, name))
    expect(await copyToDirectory(url, back, options)).not.toHaveProperty('file')
  })

  it('says how many records are not covered by its head yet, and leaves them to the next gateway', async () => {
    const { directory, url } = await copied()
    const store = await newPostgresStore(url, ownKeys, directory)
    await append(store, ...call(3))
    await store.audit.quiet()
    await inDatabase(
      url,
      `CREATE FUNCTION toolwire.refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''no checkpoint''; END';
       CREATE TRIGGER refuse BEFORE INSERT ON toolwire.audit_checkpoints EXECUTE FUNCTION toolwire.refuse()`,
    )
    await append(store, ...call(4))
    await store.close()
    await inDatabase(url, 'DROP TRIGGER refuse ON toolwire.audit_checkpoints')
    const { code, stdout } = await verify(url, directory)
    expect([code, stdout]).toEqual([0, expect.stringContaining('The log is intact: 8 records')])
    expect(stdout).toContain(
      '2 of them are not covered by a signed head yet. A gateway signs them within seconds, or when it starts',
    )
    expect(JSON.parse((await verify(url, directory, '--json')).stdout)).toMatchObject({ ok: true, entries: 8, unsigned: 2 })
    await (await newPostgresStore(url, ownKeys, directory)).close()
    expect((await verify(url, directory)).stdout).not.toContain('not covered')
    await inDatabase(url, `UPDATE toolwire.audit SET text = replace(text, 'eve', 'ada') WHERE sequence = 2`)
    expect(await verify(url, directory)).toMatchObject({ code: 1, stdout: expect.stringContaining('was altered: record 2') })
  })

  it('is refused with another key, without a log, and with tables of an older version', async () => {
    const { directory, url } = await copied()
    const other = newDirectory()
    await (await newStore({}, other)).close()
    expect(await verify(url, other)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('does not have the key that signs the audit log'),
    })
    expect(await verify(await server.database(), directory)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The database has no log yet'),
    })
    await inDatabase(url, `DELETE FROM toolwire.schema_versions WHERE part = 'audit' AND version > 1`)
    expect(await verify(url, directory)).toMatchObject({ code: 1, stderr: expect.stringContaining('toolwire store migrate') })
  })
})

// A refused start names the remedy, and leaves the database unchanged.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { connect as connectTcp, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { postgresStores } from 'toolwire/postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../../toolwire/test/postgres-server.js'
import { sharedLimits } from '../../../src/guard/limits/shared-limits.js'
import { newSigningKey } from '../../../src/store/audit/signed-head.js'
import { openPostgres, poolOf } from '../../../src/store/postgres/connection.js'
import { openPostgresStore, type PostgresStoreOptions } from '../../../src/store/postgres/open-postgres-store.js'
import { inDatabase, newPostgresStore } from '../../support/postgres-stores.js'
import { newDirectory } from '../../support/stores.js'

const keyless = { vaultKey: '', auditKey: '' }

describe.skipIf(!postgresFound)('a store in PostgreSQL does not open', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await postgresServer()
  })
  afterAll(() => server.close())

  const refused = (url: string, options: PostgresStoreOptions = {}, directory?: string) =>
    newPostgresStore(url, options, directory).then(
      () => 'it opened',
      (thrown: unknown) => String(thrown),
    )

  /** Everything of Toolwire in the database. */
  async function contents(url: string): Promise<unknown> {
    const tables = await inDatabase<{ name: string }>(
      url,
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'toolwire' AND table_name <> 'replicas' ORDER BY 1`,
    )
    return Promise.all(tables.map(({ name }) => inDatabase(url, `SELECT t::text FROM toolwire.${name} t ORDER BY 1`)))
  }

  /** A proxy that changes the bytes on their way. */
  async function between(change: (bytes: Buffer) => Buffer): Promise<number> {
    const sockets = new Set<Socket>()
    const proxy = createTcpServer((socket) => {
      const other = connectTcp(server.port, '127.0.0.1')
      for (const one of [socket, other]) sockets.add(one.on('error', () => other.destroy()))
      socket.pipe(other)
      other.on('data', (bytes: Buffer) => socket.write(change(bytes)))
      other.on('end', () => socket.end())
    })
    return listening(proxy, () => {
      for (const one of sockets) one.destroy()
    })
  }

  async function listening(listener: Server, end: () => void): Promise<number> {
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      end()
      listener.close()
    })
    return (listener.address() as AddressInfo).port // it listens on a port
  }

  it('if nothing listens, or nothing answers', async () => {
    const words = await refused('postgres://user:secret-password@127.0.0.1:1/db')
    expect(words).toMatch(/^StoreFailure: The store at postgres:\/\/user:•••@127\.0\.0\.1:1\/db cannot be used\. Nothing listens/)
    expect(words).not.toContain('secret-password')
    const sockets: Socket[] = []
    const silent = createTcpServer((socket) => void sockets.push(socket))
    const port = await listening(silent, () => {
      for (const socket of sockets) socket.destroy()
    })
    const asked = performance.now()
    const silence = await refused(`postgres://user@127.0.0.1:${port}/db`)
    expect(silence).toContain('PostgreSQL does not answer. Check that it runs, the host and the port in its address')
    // No caller is served yet.
    for (const text of [words, silence]) expect(text).not.toContain('alls that need the database')
    expect(performance.now() - asked).toBeLessThan(30_000)
  })

  it('if the database, its user or a permission is missing', async () => {
    expect(await refused(`postgres://toolwire@127.0.0.1:${server.port}/none`)).toMatch(
      /does not exist\. Create it \(CREATE DATABASE\)/,
    )
    const url = await server.database()
    await inDatabase(url, 'CREATE ROLE guest LOGIN')
    const asGuest = url.replace('toolwire@', 'guest@')
    expect(await refused(asGuest)).toContain('may not create or use the schema toolwire')
    expect(await contents(url)).toEqual([])
    await (await newPostgresStore(url)).close()
    expect(await refused(asGuest)).toContain('may not create or use the schema toolwire')
  })

  it('for a user who may write to the tables, but may not create those of the next days', async () => {
    const url = await server.database()
    await (await newPostgresStore(url)).close()
    await inDatabase(url, 'CREATE ROLE writer LOGIN; CREATE ROLE owner; GRANT USAGE, CREATE ON SCHEMA toolwire TO writer')
    await inDatabase(
      url,
      'GRANT ALL ON ALL TABLES IN SCHEMA toolwire TO writer; GRANT ALL ON ALL SEQUENCES IN SCHEMA toolwire TO writer',
    )
    const asWriter = url.replace('toolwire@', 'writer@')
    expect(await refused(asWriter)).toMatch(/needs new tables each day.* a member of the role that owns its tables: GRANT/)
    const [{ name } = { name: '' }] = await inDatabase<{ name: string }>(url, 'SELECT current_database() AS name')
    await inDatabase(url, `GRANT owner TO writer; ALTER DATABASE ${name} OWNER TO owner; ALTER SCHEMA toolwire OWNER TO owner`)
    await inDatabase(
      url,
      `DO $$ DECLARE one record; BEGIN
         FOR one IN SELECT relname, relkind FROM pg_class WHERE relnamespace = 'toolwire'::regnamespace AND relkind IN ('r', 'p') LOOP
           EXECUTE format('ALTER TABLE toolwire.%I OWNER TO owner', one.relname);
         END LOOP;
       END $$`,
    )
    // The tables of a day and of the last migration are missing, as after a day and an upgrade.
    const [{ day } = { day: '' }] = await inDatabase<{ day: string }>(
      url,
      `SELECT max(relname) AS day FROM pg_class WHERE relnamespace = 'toolwire'::regnamespace AND relname ~ '^audit_[0-9]{8}$'`,
    )
    await inDatabase(
      url,
      `DROP TABLE toolwire.${day}, toolwire.config_versions; DELETE FROM toolwire.schema_versions WHERE part = 'store' AND version = 2;
       ALTER TABLE toolwire.replicas DROP COLUMN config_version, DROP COLUMN config_trouble`,
    )
    const store = await newPostgresStore(asWriter)
    expect(store.trouble).toBeUndefined()
    const owners = await inDatabase<{ relname: string; owner: string }>(
      url,
      `SELECT relname, pg_get_userbyid(relowner) AS owner FROM pg_class
       WHERE relnamespace = 'toolwire'::regnamespace AND relkind IN ('r', 'p')`,
    )
    expect(owners.map(({ relname }) => relname)).toEqual(expect.arrayContaining([day, 'config_versions']))
    expect(owners.filter(({ owner }) => owner !== 'owner')).toEqual([])
  })

  it('but opens for each member of the role that owns the tables, and members share limits whoever created their tables', async () => {
    const url = await server.database()
    await inDatabase(
      url,
      `CREATE ROLE team; CREATE ROLE ada LOGIN IN ROLE team; CREATE ROLE bob LOGIN IN ROLE team;
       DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO team', current_database()); END $$`,
    )
    const [ada, bob] = [url.replace('toolwire@', 'ada@'), url.replace('toolwire@', 'bob@')]
    await (await newPostgresStore(`${ada}?options=-c%20role%3Dteam`)).close()
    const dropShared = `DO $$ DECLARE one text; BEGIN
      FOR one IN SELECT 'TABLE ' || oid::regclass FROM pg_class
        WHERE relnamespace = 'toolwire'::regnamespace AND relkind = 'r' AND relname LIKE 'shared%'
      UNION ALL SELECT 'FUNCTION ' || oid::regprocedure FROM pg_proc WHERE pronamespace = 'toolwire'::regnamespace
      LOOP EXECUTE 'DROP ' || one || ' CASCADE'; END LOOP;
    END $$`
    const limit = { calls: 1, per: 'hour' } as const
    async function take(as: string, key: string): Promise<number> {
      const { fleet } = await newPostgresStore(as)
      const place = { redisUrl: undefined, postgres: fleet?.postgres, gateways: () => 2 }
      const { ofRecordedCalls } = await sharedLimits(place, () => undefined)
      return ofRecordedCalls.take(key, limit, 0)
    }
    await inDatabase(url, dropShared)
    expect(await take(ada, 'one')).toBe(0)
    expect(await take(bob, 'one')).toBeGreaterThan(0)
    // In earlier versions, the user who created the tables owned them.
    await inDatabase(url, dropShared)
    const before = await openPostgres(ada, () => undefined)
    await postgresStores(poolOf(before), { replicas: 1 }).migrate()
    await before.close()
    expect(await take(ada, 'two')).toBe(0)
    expect(await take(bob, 'two')).toBeGreaterThan(0)
    const left = await inDatabase(
      url,
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'toolwire'::regnamespace AND relowner <> 'team'::regrole
       UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'toolwire'::regnamespace AND proowner <> 'team'::regrole`,
    )
    expect(left).toEqual([])
  })

  it('beside an application that created the shared tables as another role, until the user is a member of that role', async () => {
    const url = await server.database()
    await inDatabase(
      url,
      `CREATE ROLE app LOGIN; CREATE ROLE gate LOGIN;
       DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO app, gate', current_database()); END $$`,
    )
    const app = await openPostgres(url.replace('toolwire@', 'app@'), () => undefined)
    await postgresStores(poolOf(app), { replicas: 1 }).migrate()
    await app.close()
    await inDatabase(url, 'GRANT USAGE, CREATE ON SCHEMA toolwire TO gate')
    const before = await contents(url)
    const asGate = url.replace('toolwire@', 'gate@')
    expect(await refused(asGate)).toMatch(
      /may not use toolwire\.shared_\w+, which an application with the role app has made\. .*GRANT app TO/,
    )
    expect(await contents(url)).toEqual(before)
    await inDatabase(url, 'GRANT app TO gate')
    expect((await newPostgresStore(asGate)).trouble).toBeUndefined()
  })

  it.each(['repeatable read', 'serializable'])('if transactions are "%s" by default', async (level) => {
    const url = await server.database()
    await inDatabase(
      url,
      `ALTER ROLE toolwire IN DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_isolation = '${level}'`,
    )
    expect(await refused(url)).toMatch(/SET default_transaction_isolation = 'read committed'/)
    expect(await contents(url)).toEqual([])
  })

  it('as a gateway without a warning if commits are confirmed before they are on disk', async () => {
    const url = await server.database()
    const notes: string[] = []
    const onNote = (words: string) => void notes.push(words)
    await (await newPostgresStore(url, { onNote, spool: false })).close()
    expect(notes).toEqual([])
    await inDatabase(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`)
    await (await newPostgresStore(url, { onNote })).close()
    expect(notes).toEqual([])
    await (await newPostgresStore(url, { onNote, spool: false })).close()
    expect(notes).toEqual([expect.stringMatching(/before they are on its disk \(synchronous_commit = off\)/)])
  })

  it('if the server is read-only', async () => {
    const url = await server.database()
    await inDatabase(
      url,
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$`,
    )
    expect(await refused(url)).toMatch(/takes no changes: it is a standby or read-only\. Name the primary/)
  })

  it('if PostgreSQL is older than 13', async () => {
    const url = await server.database()
    const [row] = await inDatabase<{ number: string }>(url, `SELECT current_setting('server_version_num') AS number`)
    const number = row?.number ?? ''
    const port = await between((bytes) => Buffer.from(bytes.toString('latin1').replaceAll(number, '120022'), 'latin1'))
    const words = await refused(url.replace(`:${server.port}`, `:${port}`))
    expect(words).toMatch(/is too old: a store needs version 13 or newer\. Upgrade it/)
    expect(await contents(url)).toEqual([])
  })

  it('if its encoding cannot store all texts', async () => {
    const name = 'latin'
    await inDatabase(await server.database(), `CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`)
    expect(await refused(`postgres://toolwire@127.0.0.1:${server.port}/${name}`)).toContain(
      `Create a database with ENCODING 'UTF8'`,
    )
  })

  it('if the clocks are more than a minute apart', async () => {
    const url = await server.database()
    expect(await refused(url, { wall: () => Date.now() - 3_600_000 })).toMatch(
      /clock here is 3600 s behind .* time server \(NTP\)/,
    )
    expect(await refused(url, { wall: () => Date.now() + 3_600_000 })).toMatch(/clock here is 3600 s ahead of/)
    expect(await contents(url)).toEqual([])
    const store = await newPostgresStore(url, { wall: () => Date.now() + 30_000 })
    expect(store.trouble).toBeUndefined()
  })

  it('if a newer Toolwire has created tables that this one does not understand', async () => {
    const url = await server.database()
    await (await newPostgresStore(url)).close()
    const newer = (serves: number) =>
      inDatabase(url, `INSERT INTO toolwire.schema_versions (part, version, serves) VALUES ('store', $1, $2)`, [
        98 + serves,
        serves,
      ])
    await newer(1)
    // The next version still serves this one, so both can run side by side.
    await (await newPostgresStore(url)).close()
    await newer(99)
    const before = await contents(url)
    expect(await refused(url)).toMatch(/have version 197, made by a newer Toolwire.*Install the newer Toolwire here too/)
    expect(await contents(url)).toEqual(before)
  })

  it('with another key than its other gateways, and without one', async () => {
    const url = await server.database()
    const first = newDirectory()
    await (await newPostgresStore(url, keyless, first)).close()
    const before = await contents(url)
    const other = newDirectory()
    expect(await refused(url, keyless, other)).toMatch(
      /does not have the key that opens the sealed data.*Copy vault\.key from .*TOOLWIRE_VAULT_KEY/,
    )
    // The refused start has created no key that would conflict with the right one.
    expect(readdirSync(other).filter((name) => name.endsWith('.key'))).toEqual([])
    expect(await refused(url, { ...keyless, vaultKey: 'ab'.repeat(32) }, first)).toContain('TOOLWIRE_VAULT_KEY')
    writeFileSync(join(other, 'key.pem'), newSigningKey())
    expect(await refused(url, { vaultKey: '', auditKey: join(other, 'key.pem') }, first)).toMatch(
      /signs the audit log.*TOOLWIRE_AUDIT_KEY/,
    )
    expect(await refused(url, { vaultKey: '', auditKey: join(other, 'none.pem') }, first)).toMatch(
      /TOOLWIRE_AUDIT_KEY names no file/,
    )
    expect(await contents(url)).toEqual(before)
    const again = await newPostgresStore(url, { vaultKey: '', auditKey: join(first, 'audit.key') }, first)
    expect(again.trouble).toBeUndefined()
  })

  it('for two that start at once with different keys: one of them is refused', async () => {
    const url = await server.database()
    const directories = [newDirectory(), newDirectory(), newDirectory()]
    const ends = await Promise.all(directories.map((directory) => refused(url, keyless, directory)))
    expect(ends.filter((words) => words === 'it opened')).toHaveLength(1)
    expect(directories.filter((directory) => existsSync(join(directory, 'vault.key')))).toHaveLength(1)
  })

  it('over TLS with an untrusted certificate', async () => {
    const url = await server.database()
    expect(await refused(`${url}?sslmode=verify-full`)).toMatch(/The address asks for TLS, but PostgreSQL does not offer it/)
    const warned: string[] = []
    const onWarning = ({ message }: Error) => void warned.push(message)
    process.on('warning', onWarning)
    onTestFinished(() => void process.off('warning', onWarning))
    const required = await refused(`${url}?sslmode=require`)
    expect(required).toMatch(/\?sslmode=require cannot be used\. The address asks for TLS/)
    expect(warned.filter((line) => line.includes('SSL'))).toEqual([])
    const port = await tlsServer()
    const address = `postgres://toolwire@127.0.0.1:${port}/db?sslmode=verify-full`
    expect(await refused(address)).toMatch(/certificate of PostgreSQL is not trusted.*sslrootcert/)
  })

  /** Accepts TLS as PostgreSQL does, with a self-signed certificate. */
  async function tlsServer(): Promise<number> {
    const folder = newDirectory()
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
    execFileSync('openssl', ['req', '-x509', '-newkey', 'ed25519', '-nodes', '-keyout', key, '-out', cert, ...subject], {
      stdio: 'ignore',
    })
    const { readFileSync } = await import('node:fs')
    const tls = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) })
    tls.on('tlsClientError', () => undefined)
    const sockets = new Set<Socket>()
    const plain = createTcpServer((socket) => {
      sockets.add(socket.on('error', () => socket.destroy()))
      socket.once('data', () => {
        socket.write('S')
        tls.emit('connection', socket)
      })
    })
    return listening(plain, () => {
      for (const socket of sockets) socket.destroy()
    })
  }

  it('and no message contains a password', async () => {
    const url = `postgres://toolwire:hunter2hunter2@127.0.0.1:${server.port}/none`
    const words = await openPostgresStore(url, newDirectory(), { onNote: () => undefined }).catch(String)
    expect(words).toContain('The store at')
    expect(words).not.toContain('hunter2')
  })
})

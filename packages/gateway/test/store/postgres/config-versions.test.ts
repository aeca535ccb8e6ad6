// Configs in the database: concurrent pushes, forged versions, and tables of the previous version.
import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../../toolwire/test/postgres-server.js'
import type { ConfigContent } from '../../../src/config/index.js'
import { configVersions, contentHash } from '../../../src/store/postgres/config-versions.js'
import { openPostgres, type Postgres } from '../../../src/store/postgres/connection.js'
import { inspectConfigs, inspectStore, migrateStore } from '../../../src/store/postgres/inspect-store.js'
import { migrateAll, withSchemaLock } from '../../../src/store/postgres/schema/migrate.js'
import { schemaParts } from '../../../src/store/postgres/schema/store-tables.js'
import type { GivenKeys } from '../../../src/store/secrets/gateway-keys.js'
import { fleetKeys, inDatabase, newPostgresStore } from '../../support/postgres-stores.js'
import { newDirectory } from '../../support/stores.js'

const key = new Uint8Array(32).fill(7)
const content = (text: string): ConfigContent => ({ config: { name: 'mcp.json', text }, policy: { name: 'p.json', text: '{}' } })
const version = (base: number, text = `text after ${base}`) => ({ base, content: content(text), by: 'ada@desk' })

/** Pseudo-random numbers with a seed. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

describe.skipIf(!postgresFound)('versions of a config', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await postgresServer()
  })
  afterAll(() => server.close())

  async function connected(url: string): Promise<Postgres> {
    const postgres = await openPostgres(url, () => undefined)
    onTestFinished(() => postgres.close())
    return postgres
  }

  async function place() {
    const url = await server.database()
    await migrateStore(url)
    return { url, versions: configVersions((await connected(url)).sql) }
  }

  it('are numbered without a gap, and of several pushes on the same base one wins', async () => {
    const { url, versions } = await place()
    const other = configVersions((await connected(url)).sql)
    for (let base = 0; base < 5; base++) {
      const wishes = Array.from({ length: 12 }, (_, at) => (at % 2 ? versions : other).add(version(base, `${base}:${at}`), key))
      const won = (await Promise.all(wishes)).filter((one) => one !== undefined)
      expect(won).toMatchObject([{ version: base + 1, by: 'ada@desk' }])
    }
    expect((await versions.list()).map((one) => one.version)).toEqual([5, 4, 3, 2, 1])
    expect(await versions.add(version(3), key)).toBeUndefined()
    expect(await versions.add(version(9), key)).toBeUndefined()
    expect(await versions.list()).toHaveLength(5)
  })

  it('are read with their rules, newest first or by number', async () => {
    const { versions } = await place()
    expect([await versions.get(), await versions.sealed(key)]).toEqual([undefined, undefined])
    await versions.add({ ...version(0, 'one'), note: 'why' }, key)
    await versions.add({ ...version(1, 'two'), restores: 1 }, key)
    const one = { version: 1, note: 'why', hash: contentHash(content('one')), ...content('one') }
    expect(await versions.sealed(key, 1)).toEqual({ ...one, by: 'ada@desk', at: expect.any(Number) })
    expect(await versions.sealed(key)).toMatchObject({ version: 2, restores: 1, ...content('two') })
    expect(await versions.get()).toEqual({ version: 2, ...content('two') })
    expect(await versions.sealed(key, 3)).toBeUndefined()
  })

  it('are read from outside with the key of the gateways alone, and no key is created for it', async () => {
    const url = await server.database()
    const read = (dataDir: string, keys: GivenKeys) => inspectConfigs(url, { dataDir, keys }, (configs) => configs.read())
    const folder = newDirectory()
    const keyless = { vaultKey: '', auditKey: '' }
    expect(await read(folder, keyless)).toBeUndefined()
    const store = await newPostgresStore(url)
    await store.fleet?.configs.add(version(0, 'one'))
    expect(await read(folder, fleetKeys)).toMatchObject({ version: 1, by: 'ada@desk', ...content('one') })
    for (const keys of [keyless, { vaultKey: 'ab'.repeat(32) }])
      await expect(read(folder, keys)).rejects.toThrow(/does not have the key that opens the sealed data/)
    expect(readdirSync(folder)).toEqual([])
  })

  it.each([
    ['with another key', `UPDATE toolwire.config_versions SET seal = md5('x')`],
    ['with another text', `UPDATE toolwire.config_versions SET content = replace(content, 'two', 'bad') WHERE version = 2`],
    [
      'as a copy of an older one',
      `INSERT INTO toolwire.config_versions SELECT 3, at, author, note, restores, hash, content, seal
       FROM toolwire.config_versions WHERE version = 1`,
    ],
  ])('are rejected if they were written by others, %s', async (_, statement) => {
    const { url, versions } = await place()
    await versions.add(version(0, 'one'), key)
    await versions.add(version(1, 'two'), key)
    await inDatabase(url, statement)
    await expect(versions.sealed(key)).rejects.toThrow('was changed in the database, or written there without the key')
  })

  it.each([1, 2, 3])('converge at every gateway, whatever two writers do (%i)', async (seed) => {
    const url = await server.database()
    const stores = [await newPostgresStore(url), await newPostgresStore(url)]
    const pick = numbersFrom(seed)
    const versions: ConfigContent[] = []
    // The newest version that each writer knows; it looks only from time to time.
    const known = [0, 0]
    for (let step = 0; step < 30; step++) {
      const writer = pick(2)
      if (pick(3) > 0) known[writer] = versions.length
      const base = known[writer] ?? 0
      const isRollback = versions.length > 0 && pick(3) === 0
      const next = (isRollback && versions[pick(versions.length)]) || content(`${seed}:${step}`)
      const added = await stores[writer]?.fleet?.configs.add({ base, content: next, by: `writer ${writer}` })
      expect(added?.version).toBe(base === versions.length ? versions.length + 1 : undefined)
      if (added) versions.push(next)
    }
    const all = (await inspectStore(url)).configs
    expect(all.map((one) => one.version).reverse()).toEqual(versions.map((_, at) => at + 1))
    const newest = `${versions.length} ${contentHash(versions.at(-1) ?? content(''))}`
    for (const store of stores) {
      await expect.poll(() => store.fleet?.configs.newest).toBe(newest)
      expect(await store.fleet?.configs.read()).toMatchObject({ version: versions.length, ...versions.at(-1) })
    }
  })

  it('are added to the tables of the previous version, while a gateway of that version runs', async () => {
    const url = await server.database()
    const postgres = await connected(url)
    const before = schemaParts.map((part) =>
      part.name === 'store' ? { ...part, migrations: part.migrations.slice(0, 1) } : part,
    )
    await withSchemaLock(postgres, (sql) => migrateAll(sql, before))
    const beat = (id: string) =>
      inDatabase(
        url,
        `INSERT INTO toolwire.replicas (id, name, version, address) VALUES ($1, 'old', '1', NULL)
         ON CONFLICT (id) DO UPDATE SET seen = clock_timestamp(), address = excluded.address`,
        [id],
      )
    await beat('old')
    // A read-only command of this version changes nothing.
    expect(await inspectStore(url)).toMatchObject({
      replicas: [{ id: 'old' }],
      configs: [],
      tables: [{ version: 1, known: 2 }, {}],
    })
    const outside = { dataDir: newDirectory(), keys: fleetKeys }
    expect(await inspectConfigs(url, outside, (configs) => configs.read())).toBeUndefined()
    const store = await newPostgresStore(url)
    await store.fleet?.configs.add(version(0))
    await store.fleet?.announce({ configVersion: 1, configTrouble: undefined })
    await beat('old')
    const { replicas, tables } = await inspectStore(url)
    expect(tables[0]).toMatchObject({ version: 2 })
    expect(replicas.map(({ id, configVersion }) => [id, configVersion])).toEqual([
      ['old', undefined],
      [store.fleet?.id, 1],
    ])
    // The previous version accepts the new tables.
    await withSchemaLock(postgres, (sql) => migrateAll(sql, before))
  })
})

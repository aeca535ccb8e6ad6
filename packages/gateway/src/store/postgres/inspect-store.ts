// Inspects a database from outside, without changing it or starting a gateway.
import { redactedUrl } from '../../config/describe-config.js'
import type { StoredConfig } from '../../config/stored-config.js'
import type { GivenKeys } from '../secrets/gateway-keys.js'
import { type DatabaseFacts, readDatabaseFacts, serverRefusal } from './check-server.js'
import { type ConfigVersion, configKey, configVersions } from './config-versions.js'
import { type Postgres, withPostgres } from './connection.js'
import { refuseOtherKeys, sharedVaultKey } from './prepare-store.js'
import { type Replica, replicaRows } from './replicas.js'
import { hasSchema, hasTable, migrateAll, partVersion, refuseNewer, withSchemaLock } from './schema/migrate.js'
import { schemaParts } from './schema/store-tables.js'
import { nulSafe } from './text-cells.js'
import { withTimeLimit } from './time-limit.js'

/** The version of a part in the database, and the newest version that this program knows. */
export type TableVersion = { readonly part: string; readonly version: number; readonly known: number }

export type StoreInspection = DatabaseFacts & {
  /** The address without its password. */
  readonly at: string
  /** A pooler between this program and PostgreSQL, as far as it can be detected. In transaction mode, sessions share connections. */
  readonly pooler: 'transaction' | 'none seen'
  readonly tables: readonly TableVersion[]
  readonly replicas: readonly Replica[]
  /** Versions of the config, newest first. */
  readonly configs: readonly ConfigVersion[]
  /** The reason why no gateway of this version starts with the database. */
  readonly refusal?: string
}

const patienceMs = 4_800

/**
 * Inspects the database; rejects with the reason if it cannot be reached. With `places`, other keys than those of its gateways are refused.
 */
export const inspectStore = (url: string, places?: KeyPlaces): Promise<StoreInspection> =>
  withPostgres(url, (one) =>
    withPostgres(url, (other) => withTimeLimit(patienceMs, inspectDatabase({ url, one, other }, places))),
  )

type Inspected = { readonly url: string; readonly one: Postgres; readonly other: Postgres }

async function inspectDatabase({ url, one, other }: Inspected, places: KeyPlaces | undefined): Promise<StoreInspection> {
  const facts = await readDatabaseFacts(one.sql, Date.now)
  const isThere = await hasSchema(one.sql)
  const tables: TableVersion[] = []
  let refusal = serverRefusal(facts)
  for (const part of schemaParts) {
    const found = isThere ? await partVersion(one.sql, part.name) : { version: 0, serves: 1 }
    tables.push({ part: part.name, version: found.version, known: part.migrations.length })
    refusal ??= await messageThrownBy(async () => refuseNewer(part, found))
  }
  const hasTables = tables.some(({ part, version }) => part === 'store' && version > 0)
  if (hasTables && places) refusal ??= await messageThrownBy(() => refuseOtherKeys(one.sql, places.dataDir, places.keys))
  const replicas = hasTables ? await replicaRows(one, { id: '', name: '', version: '' }).list() : []
  const configs = (await hasTable(one.sql, 'config_versions')) ? await configVersions(nulSafe(one.sql)).list() : []
  const pooler = (await backendOf(one)) === (await backendOf(other)) ? 'transaction' : 'none seen'
  return { at: redactedUrl(url), ...facts, pooler, tables, replicas, configs, ...(refusal !== undefined && { refusal }) }
}

/** Versions of the config as a program reads them that is no gateway. */
export type InspectedConfigs = {
  /** Without their content, newest first. */
  readonly all: readonly ConfigVersion[]
  /** Reads a version, by default the newest; rejects if the content is not as it was pushed, or the key of its seal is not here. */
  read(version?: number): Promise<(ConfigVersion & StoredConfig) | undefined>
}

/** The folder and the environment in which the keys of a gateway are looked for. */
export type KeyPlaces = { readonly dataDir: string; readonly keys: GivenKeys }

export const inspectConfigs = <T>(
  url: string,
  { dataDir, keys }: KeyPlaces,
  use: (configs: InspectedConfigs) => Promise<T>,
): Promise<T> =>
  withPostgres(url, async (postgres) => {
    const sql = nulSafe(postgres.sql)
    const versions = configVersions(sql)
    const all = (await hasTable(sql, 'config_versions')) ? await versions.list() : []
    let key: Promise<Uint8Array> | undefined
    async function read(version?: number) {
      if (all.length === 0) return undefined
      key ??= sharedVaultKey(sql, dataDir, keys)
      return versions.sealed(configKey(await key), version)
    }
    return use({ all, read })
  })

/** Creates the tables or migrates them to the version of this program, without starting a gateway. */
export const migrateStore = (url: string): Promise<void> =>
  withPostgres(url, (postgres) => withSchemaLock(postgres, (sql) => migrateAll(sql, schemaParts)))

/** Two connections that stay open have two backends, unless a pooler lends them the same one. */
async function backendOf({ sql }: Postgres): Promise<number | undefined> {
  const [row] = await sql<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return row?.pid
}

async function messageThrownBy(check: () => Promise<void>): Promise<string | undefined> {
  try {
    await check()
    return undefined
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown)
  }
}

// Inspects a database from outside, without changing it or starting a gateway.
import { redactedUrl } from '../../config/describe-config.js'
import type { StoredConfig } from '../../config/stored-config.js'
import { type DatabaseFacts, readDatabaseFacts, serverRefusal } from './check-server.js'
import { type ConfigVersion, configVersions } from './config-versions.js'
import { type Postgres, withPostgres } from './connection.js'
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

/** Inspects the database; rejects with the reason if it cannot be reached. */
export const inspectStore = (url: string): Promise<StoreInspection> =>
  withPostgres(url, (one) => withPostgres(url, (other) => withTimeLimit(patienceMs, inspectDatabase(url, one, other))))

async function inspectDatabase(url: string, one: Postgres, other: Postgres): Promise<StoreInspection> {
  const facts = await readDatabaseFacts(one.sql, Date.now)
  const isThere = await hasSchema(one.sql)
  const tables: TableVersion[] = []
  let refusal = serverRefusal(facts)
  for (const part of schemaParts) {
    const found = isThere ? await partVersion(one.sql, part.name) : { version: 0, serves: 1 }
    tables.push({ part: part.name, version: found.version, known: part.migrations.length })
    refusal ??= messageThrownBy(() => refuseNewer(part, found))
  }
  const hasTables = tables.some(({ part, version }) => part === 'store' && version > 0)
  const replicas = hasTables ? await replicaRows(one, { id: '', name: '', version: '' }).list() : []
  const configs = (await hasTable(one.sql, 'config_versions')) ? await configVersions(nulSafe(one.sql)).list() : []
  const pooler = (await backendOf(one)) === (await backendOf(other)) ? 'transaction' : 'none seen'
  return { at: redactedUrl(url), ...facts, pooler, tables, replicas, configs, ...(refusal !== undefined && { refusal }) }
}

/** Returns a version of the config, or the newest; undefined if there is none. */
export const readStoredConfig = (url: string, version?: number): Promise<(ConfigVersion & StoredConfig) | undefined> =>
  withPostgres(url, async ({ sql }) =>
    (await hasTable(sql, 'config_versions')) ? configVersions(nulSafe(sql)).get(version) : undefined,
  )

/** Creates the tables or migrates them to the version of this program, without starting a gateway. */
export const migrateStore = (url: string): Promise<void> =>
  withPostgres(url, (postgres) => withSchemaLock(postgres, (sql) => migrateAll(sql, schemaParts)))

/** Two connections that stay open have two backends, unless a pooler lends them the same one. */
async function backendOf({ sql }: Postgres): Promise<number | undefined> {
  const [row] = await sql<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return row?.pid
}

function messageThrownBy(check: () => void): string | undefined {
  try {
    check()
    return undefined
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown)
  }
}

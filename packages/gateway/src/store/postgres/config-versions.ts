// Versions of the config with its rules. The newest version is in force at every gateway without a config file.
import { createHash, createHmac } from 'node:crypto'
import type { ConfigContent, StoredConfig } from '../../config/stored-config.js'
import { deriveKey } from '../secrets/seal.js'
import { StoreFailure } from '../store-failure.js'
import type { Sql } from './connection.js'

/** A version of the config, without its content. */
export type ConfigVersion = {
  readonly version: number
  /** Milliseconds since 1970, by the clock of the database. */
  readonly at: number
  /** The author, by the name that the author's machine knows. */
  readonly by: string
  readonly note?: string
  /** The earlier version with the same content, if this one restores it. */
  readonly restores?: number
  readonly hash: string
}

export type NewVersion = Pick<ConfigVersion, 'by' | 'note' | 'restores'> & {
  /** The newest version that the author knows; 0 if there is none. */
  readonly base: number
  readonly content: ConfigContent
}

type Row = Omit<ConfigVersion, 'note' | 'restores'> & { readonly note: string | null; readonly restores: number | null }
type WholeRow = Row & { readonly content: string; readonly seal: string }

const columns = `version, (1000 * extract(epoch FROM at))::bigint::float8 AS at, author AS by, note, restores, hash`

const textOf = ({ config, policy }: ConfigContent): string => JSON.stringify({ config, policy })

export const contentHash = (content: ConfigContent): string => createHash('sha256').update(textOf(content)).digest('hex')

/** The key that seals versions. */
export const configKey = (secret: Uint8Array): Uint8Array => deriveKey(secret, 'toolwire config')

/** Only the gateways of this database have `key`, so nobody else with write access can bring a program to start into force. */
const sealOf = (key: Uint8Array, version: number, text: string): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([version, text]))
    .digest('hex')

export function configVersions(sql: Sql) {
  async function find(version: number | undefined): Promise<WholeRow | undefined> {
    const [row] = await sql<WholeRow>(
      `SELECT ${columns}, content, seal FROM toolwire.config_versions WHERE $1::integer IS NULL OR version = $1
       ORDER BY version DESC LIMIT 1`,
      [version ?? null],
    )
    return row
  }
  return {
    /** Newest first. */
    list: async (): Promise<ConfigVersion[]> =>
      (await sql<Row>(`SELECT ${columns} FROM toolwire.config_versions ORDER BY version DESC`)).map(configVersionOf),
    /** Returns the newest version without a check of its seal, so only for messages. */
    async get(): Promise<StoredConfig | undefined> {
      const row = await find(undefined)
      return row && contentIn(row)
    },
    /** Returns a version with its content, by default the newest; throws if the content is not as it was pushed. */
    async sealed(key: Uint8Array, version?: number): Promise<(ConfigVersion & StoredConfig) | undefined> {
      const row = await find(version)
      if (row && row.seal !== sealOf(key, row.version, row.content)) throw notSealed(row.version)
      return row && { ...configVersionOf(row), ...contentIn(row) }
    },
    /** Adds a version after `base`. Returns undefined if another version was added meanwhile. */
    async add({ base, content, by, note, restores }: NewVersion, key: Uint8Array): Promise<ConfigVersion | undefined> {
      const text = textOf(content)
      const version = base + 1
      // Of versions added at the same moment, the primary key lets one through.
      const [row] = await sql<Row>(
        `INSERT INTO toolwire.config_versions (version, author, note, restores, hash, content, seal)
         SELECT $1, $2, $3, $4, $5, $6, $7
         WHERE $1 = 1 + coalesce((SELECT max(version) FROM toolwire.config_versions), 0)
         ON CONFLICT (version) DO NOTHING RETURNING ${columns}`,
        [version, by, note ?? null, restores ?? null, contentHash(content), text, sealOf(key, version, text)],
      )
      return row && configVersionOf(row)
    },
  }
}

const configVersionOf = ({ version, at, by, note, restores, hash }: Row): ConfigVersion => ({
  ...{ version, at, by, hash },
  ...(note !== null && { note }),
  ...(restores !== null && { restores }),
})

/** The seal shows that a gateway wrote the content. */
const contentIn = ({ version, content }: WholeRow): StoredConfig => ({ version, ...(JSON.parse(content) as ConfigContent) })

const sealCode = 'CONFIG_SEAL'

const notSealed = (version: number): StoreFailure =>
  new StoreFailure(
    `Version ${version} of the config was changed in the database, or written there without the key of these gateways. Push the config again: toolwire config push`,
    sealCode,
  )

/** True if a version of the config is not as it was pushed. */
export const isSealBroken = (thrown: unknown): boolean => thrown instanceof StoreFailure && thrown.code === sealCode

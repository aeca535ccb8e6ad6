// Configs with their rules, in versions: the newest is to be in force at every gateway that has no file.
import { createHash, createHmac } from 'node:crypto'
import type { ConfigContent, StoredConfig } from '../../config/stored-config.js'
import { StoreFailure } from '../store-failure.js'
import type { Sql } from './connection.js'

/** What is told of a version. */
export type ConfigVersion = {
  readonly version: number
  /** Milliseconds since 1970, by the clock of the database. */
  readonly at: number
  /** Who pushed it, as their machine knows them. */
  readonly by: string
  readonly note?: string
  /** The version that has the same content, where it was brought back. */
  readonly restores?: number
  /** Of the content. */
  readonly hash: string
}

export type NewVersion = Pick<ConfigVersion, 'by' | 'note' | 'restores'> & {
  /** The newest version, as far as its author knows; 0 where there is none. */
  readonly base: number
  readonly content: ConfigContent
}

type Row = Omit<ConfigVersion, 'note' | 'restores'> & { readonly note: string | null; readonly restores: number | null }
type WholeRow = Row & { readonly content: string; readonly seal: string }

const columns = `version, (1000 * extract(epoch FROM at))::bigint::float8 AS at, author AS by, note, restores, hash`

const textOf = ({ config, policy }: ConfigContent): string => JSON.stringify({ config, policy })

export const contentHash = (content: ConfigContent): string => createHash('sha256').update(textOf(content)).digest('hex')

/** `key` is one that only gateways of this database have, so nobody else who can write to it brings a program to start into force. */
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
      (await sql<Row>(`SELECT ${columns} FROM toolwire.config_versions ORDER BY version DESC`)).map(told),
    /** With its content; the newest if none is named. */
    async get(version?: number): Promise<(ConfigVersion & StoredConfig) | undefined> {
      const row = await find(version)
      return row && { ...told(row), ...contentIn(row) }
    },
    /** The same, and throws where it is not as it was pushed. */
    async sealed(key: Uint8Array, version?: number): Promise<StoredConfig | undefined> {
      const row = await find(version)
      if (row && row.seal !== sealOf(key, row.version, row.content)) throw notSealed(row.version)
      return row && contentIn(row)
    },
    /** Adds a version after the one that its author knows; undefined where there is another one by now. */
    async add({ base, content, by, note, restores }: NewVersion, key: Uint8Array): Promise<ConfigVersion | undefined> {
      const text = textOf(content)
      const version = base + 1
      // Of those that are added at the same moment, the primary key lets one through.
      const [row] = await sql<Row>(
        `INSERT INTO toolwire.config_versions (version, author, note, restores, hash, content, seal)
         SELECT $1, $2, $3, $4, $5, $6, $7
         WHERE $1 = 1 + coalesce((SELECT max(version) FROM toolwire.config_versions), 0)
         ON CONFLICT (version) DO NOTHING RETURNING ${columns}`,
        [version, by, note ?? null, restores ?? null, contentHash(content), text, sealOf(key, version, text)],
      )
      return row && told(row)
    },
  }
}

const told = ({ version, at, by, note, restores, hash }: Row): ConfigVersion => ({
  ...{ version, at, by, hash },
  ...(note !== null && { note }),
  ...(restores !== null && { restores }),
})

/** Written here alone. */
const contentIn = ({ version, content }: WholeRow): StoredConfig => ({ version, ...(JSON.parse(content) as ConfigContent) })

const notSealed = (version: number): StoreFailure =>
  new StoreFailure(
    `Version ${version} of the config was changed in the database, or written there without the key of these gateways. Push the config again: toolwire config push`,
  )

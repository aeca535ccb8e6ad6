import { createHash } from 'node:crypto'
import type { Sql } from './connection.js'

export type KeptValue = {
  readonly room: string
  readonly key: string
  /** Null if the value was dropped. */
  readonly value: string | null
  /** Grows with each change of the key. */
  readonly version: number
}

/** A digest, because an index takes no long texts. */
export const keptKey = (...parts: readonly string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex')

const columns = 'room, key, value, version::float8 AS version'

/** Texts by room and key. */
export function keptValues(sql: Sql) {
  async function put(room: string, key: string, value: string | null): Promise<KeptValue> {
    // The version is taken while the row is locked, so that it grows in the order in which changes take effect.
    const rows = await sql<KeptValue>(
      `INSERT INTO toolwire.kept (room, place, key, value) VALUES ($1, $2, $3, $4)
       ON CONFLICT (room, place) DO UPDATE SET value = excluded.value, version = nextval('toolwire.kept_version'),
         changed = pg_current_xact_id(), changed_at = clock_timestamp()
       RETURNING ${columns}`,
      [room, keptKey(key), key, value],
    )
    const [kept] = rows
    if (!kept) throw new Error('PostgreSQL returned no row for the stored value')
    return kept
  }
  return {
    put,
    drop: (room: string, key: string) => put(room, key, null),
    /** Includes values that were dropped lately. */
    all: (room: string) =>
      sql<KeptValue>(`SELECT ${columns} FROM toolwire.kept WHERE room = $1 ORDER BY key COLLATE "C"`, [room]),
    /** Removes dropped values after a day, when every gateway has noticed them or reads everything again. */
    forgetDropped: () =>
      sql(`DELETE FROM toolwire.kept WHERE value IS NULL AND changed_at < clock_timestamp() - interval '1 day'`),
  }
}

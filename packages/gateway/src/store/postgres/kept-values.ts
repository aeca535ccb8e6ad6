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
  /** Returns the changed values. If keys are unique, a value that another gateway has dropped stays dropped. */
  function put(
    room: string,
    entries: readonly (readonly [key: string, value: string | null])[],
    keysAreUnique = false,
  ): Promise<readonly KeptValue[]> {
    const rows = entries.map(([key, value]) => ({ place: keptKey(key), key, value }))
    // The version is taken while the row is locked, so that it grows in the order in which changes take effect.
    return sql<KeptValue>(
      `INSERT INTO toolwire.kept (room, place, key, value)
       SELECT $1, place, key, value FROM unnest($2::text[], $3::text[], $4::text[]) AS given (place, key, value)
       ON CONFLICT (room, place) DO UPDATE SET value = excluded.value, version = nextval('toolwire.kept_version'),
         changed = pg_current_xact_id(), changed_at = clock_timestamp()
         WHERE NOT $5 OR kept.value IS NOT NULL OR excluded.value IS NULL
       RETURNING ${columns}`,
      [room, rows.map(({ place }) => place), rows.map(({ key }) => key), rows.map(({ value }) => value), keysAreUnique],
    )
  }
  return {
    put,
    drop: (room: string, key: string) => put(room, [[key, null]]),
    async of(places: readonly { readonly room: string; readonly place: string }[]): Promise<readonly KeptValue[]> {
      if (places.length === 0) return []
      return sql<KeptValue>(
        `SELECT ${columns} FROM toolwire.kept WHERE (room, place) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
        [places.map(({ room }) => room), places.map(({ place }) => place)],
      )
    },
    /** Includes values that were dropped lately. */
    all: (room: string) =>
      sql<KeptValue>(`SELECT ${columns} FROM toolwire.kept WHERE room = $1 ORDER BY key COLLATE "C"`, [room]),
    /** Removes dropped values after a day, when every gateway has noticed them or reads everything again. */
    forgetDropped: () =>
      sql(`DELETE FROM toolwire.kept WHERE value IS NULL AND changed_at < clock_timestamp() - interval '1 day'`),
  }
}

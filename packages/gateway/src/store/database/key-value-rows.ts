import { type DatabaseConnection, preparer } from './connection.js'

/** Texts by room and key. */
export function keyValueRows(db: DatabaseConnection) {
  const sql = preparer(db)
  const all = sql<{ key: string; value: string }>('SELECT key, value FROM kept WHERE room = ? ORDER BY key')
  const put = sql('INSERT INTO kept (room, key, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value')
  const drop = sql('DELETE FROM kept WHERE room = ? AND key = ?')
  return {
    all: (room: string) => all.all(room).map(({ key, value }) => [key, value] as const),
    /** The last parameter matters only where several gateways share the database. */
    put(room: string, entries: readonly (readonly [key: string, value: string])[], _keysAreUnique = false): void {
      for (const [key, value] of entries) put.run(room, key, value)
    },
    drop: (room: string, key: string): void => void drop.run(room, key),
  }
}

/** The name of the public key that signs the log, as in PostgreSQL. */
export const signingKeyState = 'audit key'

/** Single values about the store itself. */
export function stateRows(db: DatabaseConnection) {
  const sql = preparer(db)
  const get = sql<{ value: string }>('SELECT value FROM state WHERE name = ?')
  const put = sql('INSERT INTO state (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value')
  return {
    get: (name: string) => get.first(name)?.value,
    put: (name: string, value: string): void => void put.run(name, value),
  }
}

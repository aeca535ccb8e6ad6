import { type Connection, sql, textOf } from './connection.js'

/** What is kept as text under a key, in a room of its own. */
export function keptRows(db: Connection) {
  const all = sql(db, 'SELECT key, value FROM kept WHERE room = ? ORDER BY key')
  const put = sql(db, 'INSERT INTO kept (room, key, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value')
  const drop = sql(db, 'DELETE FROM kept WHERE room = ? AND key = ?')
  return {
    all: (room: string): [key: string, value: string][] =>
      all.all(room).map(({ key, value }) => [textOf(key) ?? '', textOf(value) ?? '']),
    put: (room: string, key: string, value: string): void => void put.run(room, key, value),
    drop: (room: string, key: string): void => void drop.run(room, key),
  }
}

/** Single values about the store itself. */
export function stateRows(db: Connection) {
  const get = sql(db, 'SELECT value FROM state WHERE name = ?')
  const put = sql(db, 'INSERT INTO state (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value')
  return {
    get: (name: string): string | undefined => textOf(get.first(name)?.value),
    put: (name: string, value: string): void => void put.run(name, value),
  }
}

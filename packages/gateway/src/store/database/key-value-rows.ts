import { type DatabaseConnection, prepare, textCell } from './connection.js'

/** What is kept as text under a key, in a room of its own. */
export function keyValueRows(db: DatabaseConnection) {
  const all = prepare(db, 'SELECT key, value FROM kept WHERE room = ? ORDER BY key')
  const put = prepare(db, 'INSERT INTO kept (room, key, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value')
  const drop = prepare(db, 'DELETE FROM kept WHERE room = ? AND key = ?')
  return {
    all: (room: string): [key: string, value: string][] =>
      all.all(room).map(({ key, value }) => [textCell(key) ?? '', textCell(value) ?? '']),
    put: (room: string, key: string, value: string): void => void put.run(room, key, value),
    drop: (room: string, key: string): void => void drop.run(room, key),
  }
}

/** Single values about the store itself. */
export function stateRows(db: DatabaseConnection) {
  const get = prepare(db, 'SELECT value FROM state WHERE name = ?')
  const put = prepare(db, 'INSERT INTO state (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value')
  return {
    get: (name: string): string | undefined => textCell(get.first(name)?.value),
    put: (name: string, value: string): void => void put.run(name, value),
  }
}

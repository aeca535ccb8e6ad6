import { type Connection, sql, textOf } from './connection.js'

/** Where a sealed value belongs. */
export type Place = { readonly server: string; readonly principal: string; readonly name: string }

/** Credentials. This side never sees what is in them. */
export function sealedRows(db: Connection) {
  const get = sql(db, 'SELECT value FROM sealed WHERE server = ? AND principal = ? AND name = ?')
  const put = sql(
    db,
    'INSERT INTO sealed (server, principal, name, value) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  )
  const drop = sql(db, 'DELETE FROM sealed WHERE server = ? AND principal = ? AND name = ?')
  const dropAll = sql(db, 'DELETE FROM sealed WHERE server = ? AND principal = ?')
  const names = sql(db, 'SELECT name FROM sealed WHERE server = ? AND principal = ?')
  const holders = sql(db, 'SELECT DISTINCT server, principal FROM sealed ORDER BY server, principal')
  return {
    get({ server, principal, name }: Place): Uint8Array | undefined {
      const value = get.first(server, principal, name)?.value
      return value instanceof Uint8Array ? value : undefined
    },
    put: ({ server, principal, name }: Place, value: Uint8Array): void =>
      void put.run(server, principal, name, Buffer.from(value)),
    drop: ({ server, principal, name }: Place): void => void drop.run(server, principal, name),
    dropAll: (server: string, principal: string): number => dropAll.run(server, principal),
    names: (server: string, principal: string): string[] => names.all(server, principal).map(({ name }) => textOf(name) ?? ''),
    holders: (): { server: string; principal: string }[] =>
      holders.all().map(({ server, principal }) => ({ server: textOf(server) ?? '', principal: textOf(principal) ?? '' })),
  }
}

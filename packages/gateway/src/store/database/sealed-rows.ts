import { type DatabaseConnection, prepare, textCell } from './connection.js'

/** Where a sealed value belongs. */
export type CredentialKey = { readonly server: string; readonly principal: string; readonly name: string }

/** Credentials. This side never sees what is in them. */
export function sealedRows(db: DatabaseConnection) {
  const get = prepare(db, 'SELECT value FROM sealed WHERE server = ? AND principal = ? AND name = ?')
  const put = prepare(
    db,
    'INSERT INTO sealed (server, principal, name, value) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  )
  const drop = prepare(db, 'DELETE FROM sealed WHERE server = ? AND principal = ? AND name = ?')
  const dropAll = prepare(db, 'DELETE FROM sealed WHERE server = ? AND principal = ?')
  const names = prepare(db, 'SELECT name FROM sealed WHERE server = ? AND principal = ?')
  const holders = prepare(db, 'SELECT DISTINCT server, principal FROM sealed ORDER BY server, principal')
  return {
    get({ server, principal, name }: CredentialKey): Uint8Array | undefined {
      const value = get.first(server, principal, name)?.value
      return value instanceof Uint8Array ? value : undefined
    },
    put: ({ server, principal, name }: CredentialKey, value: Uint8Array): void =>
      void put.run(server, principal, name, Buffer.from(value)),
    drop: ({ server, principal, name }: CredentialKey): void => void drop.run(server, principal, name),
    dropAll: (server: string, principal: string): number => dropAll.run(server, principal),
    names: (server: string, principal: string): string[] => names.all(server, principal).map(({ name }) => textCell(name) ?? ''),
    holders: (): { server: string; principal: string }[] =>
      holders.all().map(({ server, principal }) => ({ server: textCell(server) ?? '', principal: textCell(principal) ?? '' })),
  }
}

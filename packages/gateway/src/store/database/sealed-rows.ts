import { bytesIn } from './cells.js'
import { type DatabaseConnection, preparer } from './connection.js'

export type CredentialKey = { readonly server: string; readonly principal: string; readonly name: string }

/** Sealed credentials. This thread never sees their contents. */
export function sealedRows(db: DatabaseConnection) {
  const sql = preparer(db)
  const get = sql<{ value: Uint8Array }>('SELECT value FROM sealed WHERE server = ? AND principal = ? AND name = ?')
  const put = sql(
    'INSERT INTO sealed (server, principal, name, value) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  )
  const drop = sql('DELETE FROM sealed WHERE server = ? AND principal = ? AND name = ?')
  const dropAll = sql('DELETE FROM sealed WHERE server = ? AND principal = ?')
  const names = sql<{ name: string }>('SELECT name FROM sealed WHERE server = ? AND principal = ?')
  const holders = sql<Omit<CredentialKey, 'name'>>('SELECT DISTINCT server, principal FROM sealed ORDER BY server, principal')
  return {
    get({ server, principal, name }: CredentialKey): Uint8Array | undefined {
      const row = get.first(server, principal, name)
      return row && bytesIn(row.value)
    },
    put: ({ server, principal, name }: CredentialKey, value: Uint8Array): void =>
      void put.run(server, principal, name, Buffer.from(value)),
    drop: ({ server, principal, name }: CredentialKey): void => void drop.run(server, principal, name),
    dropAll: (server: string, principal: string) => dropAll.run(server, principal),
    names: (server: string, principal: string) => names.all(server, principal).map(({ name }) => name),
    holders: () => holders.all(),
  }
}

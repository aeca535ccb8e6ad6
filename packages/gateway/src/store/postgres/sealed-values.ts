import type { CredentialKey } from '../database/sealed-rows.js'
import type { Sql } from './connection.js'
import { keptKey } from './kept-values.js'

/** Sealed credentials. This code never sees their contents. */
export function sealedValues(sql: Sql) {
  const at = ({ server, principal, name }: CredentialKey) => keptKey(server, principal, name)
  const whose = 'md5(principal) = md5($2) AND principal = $2 AND server = $1'
  return {
    async sealed(key: CredentialKey): Promise<Uint8Array | undefined> {
      const [row] = await sql<{ value: Uint8Array }>('SELECT value FROM toolwire.sealed WHERE place = $1', [at(key)])
      return row?.value
    },
    async seal(key: CredentialKey, value: Uint8Array): Promise<void> {
      const { server, principal, name } = key
      await sql(
        `INSERT INTO toolwire.sealed (place, server, principal, name, value) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (place) DO UPDATE SET value = excluded.value`,
        [at(key), server, principal, name, Buffer.from(value)],
      )
    },
    async unseal(key: CredentialKey): Promise<void> {
      await sql('DELETE FROM toolwire.sealed WHERE place = $1', [at(key)])
    },
    unsealAll: async (server: string, principal: string): Promise<number> =>
      (await sql(`DELETE FROM toolwire.sealed WHERE ${whose} RETURNING 1`, [server, principal])).length,
    sealedNames: async (server: string, principal: string): Promise<string[]> =>
      (await sql<{ name: string }>(`SELECT name FROM toolwire.sealed WHERE ${whose}`, [server, principal])).map(
        ({ name }) => name,
      ),
    holders: async (): Promise<Omit<CredentialKey, 'name'>[]> => [
      ...(await sql<Omit<CredentialKey, 'name'>>(
        'SELECT DISTINCT server COLLATE "C" AS server, principal COLLATE "C" AS principal FROM toolwire.sealed ORDER BY 1, 2',
      )),
    ],
  }
}

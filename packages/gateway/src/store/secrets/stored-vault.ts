import type { TokenStore } from 'toolwire/client/oauth'
import type { CredentialKey } from '../database/sealed-rows.js'
import type { StoreClient } from '../store-client.js'
import type { Sealer } from './seal.js'

export type StoredVault = ReturnType<typeof storedVault>

/** Sealed credentials for upstream servers, separate for each person. */
export function storedVault(client: StoreClient, { seal, open }: Sealer) {
  async function read(place: CredentialKey): Promise<string | undefined> {
    const sealed = await client.run('sealed', place)
    return sealed && open(sealed, place)
  }
  return {
    /** The credentials of one person at one server, for `toolwire/client/oauth`. */
    tokens: (server: string, principal: string): TokenStore => ({
      get: (name) => read({ server, principal, name }),
      async set(name, value) {
        const place = { server, principal, name }
        await client.write('seal', place, seal(value, place))
      },
      delete: (name) => client.write('unseal', { server, principal, name }),
    }),
    async all(server: string, principal: string): Promise<ReadonlyMap<string, string>> {
      const all = new Map<string, string>()
      for (const name of await client.run('sealedNames', server, principal)) {
        const value = await read({ server, principal, name })
        if (value !== undefined) all.set(name, value)
      }
      return all
    },
    /** Seals a text that is stored elsewhere. */
    seal: (place: CredentialKey, text: string): string => Buffer.from(seal(text, place)).toString('base64'),
    open: (place: CredentialKey, sealed: string): string => open(Buffer.from(sealed, 'base64'), place),
    holders: () => client.run('holders'),
    /** Signs a person out of a server. */
    forget: (server: string, principal: string) => client.write('unsealAll', server, principal),
  }
}

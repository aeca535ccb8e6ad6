import type { TokenStore } from 'toolwire/client/oauth'
import type { CredentialKey } from '../database/sealed-rows.js'
import type { StoreHealth } from '../store-health.js'
import type { ThreadClient } from '../thread-client.js'
import type { Sealer } from './seal.js'

/** Credentials for upstream servers, sealed; each person's apart from everybody else's. */
export type StoredVault = {
  /** What one person has at one server, for `toolwire/client/oauth`. */
  tokens(server: string, principal: string): TokenStore
  /** All that one person has at one server, by its names. */
  all(server: string, principal: string): Promise<ReadonlyMap<string, string>>
  /** Who has something here. */
  holders(): Promise<readonly { readonly server: string; readonly principal: string }[]>
  /** Signs a person out of a server. */
  forget(server: string, principal: string): Promise<void>
}

type Parts = { readonly desk: ThreadClient; readonly health: StoreHealth; readonly seal: Sealer }

export function storedVault({ desk: threadClient, health, seal }: Parts): StoredVault {
  const read = async (place: CredentialKey) => {
    const sealed = await threadClient.run('sealed', place)
    return sealed && seal.open(sealed, place)
  }
  return {
    tokens: (server, principal) => ({
      get: (name) => read({ server, principal, name }),
      async set(name, value) {
        const place = { server, principal, name }
        await health.of(threadClient.run('seal', place, seal.seal(value, place)))
      },
      delete: (name) => health.of(threadClient.run('unseal', { server, principal, name })),
    }),
    async all(server, principal) {
      const all = new Map<string, string>()
      for (const name of await threadClient.run('sealedNames', server, principal)) {
        const value = await read({ server, principal, name })
        if (value !== undefined) all.set(name, value)
      }
      return all
    },
    holders: () => threadClient.run('holders'),
    async forget(server, principal) {
      await health.of(threadClient.run('unsealAll', server, principal))
    },
  }
}

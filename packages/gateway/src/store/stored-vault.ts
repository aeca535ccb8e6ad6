import type { TokenStore } from 'toolwire/client/oauth'
import type { Place } from './database/sealed-rows.js'
import type { Desk } from './desk.js'
import type { Health } from './health.js'
import type { Seal } from './seal.js'

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

type Parts = { readonly desk: Desk; readonly health: Health; readonly seal: Seal }

export function storedVault({ desk, health, seal }: Parts): StoredVault {
  const read = async (place: Place) => {
    const sealed = await desk.ask('sealed', place)
    return sealed && seal.open(sealed, place)
  }
  return {
    tokens: (server, principal) => ({
      get: (name) => read({ server, principal, name }),
      async set(name, value) {
        const place = { server, principal, name }
        await health.of(desk.ask('seal', place, seal.seal(value, place)))
      },
      delete: (name) => health.of(desk.ask('unseal', { server, principal, name })),
    }),
    async all(server, principal) {
      const all = new Map<string, string>()
      for (const name of await desk.ask('sealedNames', server, principal)) {
        const value = await read({ server, principal, name })
        if (value !== undefined) all.set(name, value)
      }
      return all
    },
    holders: () => desk.ask('holders'),
    async forget(server, principal) {
      await health.of(desk.ask('unsealAll', server, principal))
    },
  }
}

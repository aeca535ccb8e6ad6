import type { JsonObject } from '../../../json.js'
import { objectIn, textIn } from '../discovery/json-document.js'
import { type ClientIdentity, storedIdentity } from '../registration/client-identity.js'
import type { TokenStore } from './token-store.js'
import { storedTokens, type Tokens } from './tokens.js'

/** Under whom a server was last accessible to us: what leads back to its tokens in the next process. */
export type AccessRecord = { readonly issuer: string; readonly resource: string; readonly resourceMetadata?: string }

/**
 * The store, with every secret under the authorization server that it is for: what one of them has issued is not found when
 * another one is asked. 2026-07-28/basic/authorization/client-registration#authorization-server-binding
 */
export interface Vault {
  access: VaultSection<AccessRecord, [server: string]>
  tokens: VaultSection<Tokens, [issuer: string, resource: string]>
  registration: VaultSection<ClientIdentity, [issuer: string, redirectUri: string]>
  /** The authorization server that credentials without a named one were first used with. */
  binding: VaultSection<{ issuer: string }, [clientId: string]>
  keys: VaultSection<JsonObject, []>
}

interface VaultSection<T, Key extends string[]> {
  get(...key: Key): Promise<T | undefined>
  put(value: T, ...key: Key): Promise<void>
  drop(...key: Key): Promise<void>
}

export function vault(store: TokenStore): Vault {
  return {
    access: vaultSection(store, 'server', storedStanding),
    tokens: vaultSection(store, 'tokens', storedTokens),
    registration: vaultSection(store, 'client', storedIdentity),
    binding: vaultSection(store, 'binding', ({ issuer }) => (typeof issuer === 'string' ? { issuer } : undefined)),
    keys: vaultSection(store, 'dpop', (kept) => kept),
  }
}

function vaultSection<T, Key extends string[]>(
  store: TokenStore,
  name: string,
  read: (kept: JsonObject) => T | undefined,
): VaultSection<T, Key> {
  const keyOf = (key: string[]) => [name, ...key].join(' ')
  return {
    async get(...key) {
      const text = await store.get(keyOf(key))
      const kept = text === undefined ? undefined : objectIn(text)
      return kept && read(kept)
    },
    put: async (value, ...key) => store.set(keyOf(key), JSON.stringify(value)),
    drop: async (...key) => store.delete(keyOf(key)),
  }
}

function storedStanding(kept: JsonObject): AccessRecord | undefined {
  const issuer = textIn(kept.issuer)
  const resource = textIn(kept.resource)
  const resourceMetadata = textIn(kept.resourceMetadata)
  if (issuer === undefined || resource === undefined) return undefined
  return { issuer, resource, ...(resourceMetadata !== undefined && { resourceMetadata }) }
}

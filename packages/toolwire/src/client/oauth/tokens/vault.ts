import type { JsonObject } from '../../../json.js'
import { objectIn, textMembers } from '../discovery/json-document.js'
import { type ClientIdentity, storedIdentity } from '../registration/client-identity.js'
import type { TokenStore } from './token-store.js'
import { storedTokens, type Tokens } from './tokens.js'

/** The issuer and resource of a server's latest tokens, to find these again in the next process. */
export type AccessRecord = { readonly issuer: string; readonly resource: string; readonly resourceMetadata?: string | undefined }

export type Vault = ReturnType<typeof vault>

/**
 * Keeps every secret in the store under the authorization server that it is for, so that it is never used with another one.
 * 2026-07-28/basic/authorization/client-registration#authorization-server-binding
 */
export function vault(store: TokenStore) {
  const section = <T, Key extends string[]>(name: string, read: (kept: JsonObject) => T | undefined) => {
    const keyOf = (key: string[]) => [name, ...key].join(' ')
    return {
      async get(...key: Key): Promise<T | undefined> {
        const text = await store.get(keyOf(key))
        const kept = text === undefined ? undefined : objectIn(text)
        return kept && read(kept)
      },
      put: async (value: T, ...key: Key) => store.set(keyOf(key), JSON.stringify(value)),
      drop: async (...key: Key) => store.delete(keyOf(key)),
    }
  }
  return {
    access: section<AccessRecord, [server: string]>('server', (kept) =>
      textMembers(kept, ['issuer', 'resource'], ['resourceMetadata']),
    ),
    tokens: section<Tokens, [issuer: string, resource: string]>('tokens', storedTokens),
    registration: section<ClientIdentity, [issuer: string, redirectUri: string]>('client', storedIdentity),
    /** The authorization server that first issued tokens for credentials without a named one. */
    binding: section<{ issuer: string }, [clientId: string]>('binding', (kept) => textMembers(kept, ['issuer'])),
    keys: section<JsonObject, []>('dpop', (kept) => kept),
    /** Runs work alone among all processes with this store, if the store can do that. */
    inTurn: <T>(work: () => Promise<T>): Promise<T> => (store.inTurn ? store.inTurn(work) : work()),
  }
}

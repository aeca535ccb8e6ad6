// Names credentials without revealing them, so that sessions and waiting calls can end with the credential that began them.
import { createHash } from 'node:crypto'
import type { Caller } from 'toolwire'
import type { StoredKeys } from '../store/mirrored/stored-keys.js'

/** A caller, with the name of the credential that it has shown, if that can be revoked or replaced. */
export type CredentialHolder = Pick<Caller, 'expiresAt'> & { readonly credential?: string }

const ofKey = 'key '

export const keyCredential = (id: string): string => ofKey + id

/** The operator's key is strong enough for a plain hash. */
export const operatorCredential = (apiKey: string): string =>
  `operator ${createHash('sha256').update(apiKey).digest('base64url').slice(0, 22)}`

export const isStoredKey = ({ credential }: CredentialHolder): boolean => credential?.startsWith(ofKey) === true

type Known = { readonly keys: Pick<StoredKeys, 'find'>; readonly apiKey?: string | undefined }

/** Does the credential still hold? True if it cannot be revoked here: that an access token has expired is no revocation. */
export function isCredentialValid(
  { credential, expiresAt = Infinity }: CredentialHolder,
  known: Known,
  now = Date.now(),
): boolean {
  if (credential === undefined) return true
  if (expiresAt <= now) return false
  if (credential.startsWith(ofKey)) return known.keys.find(credential.slice(ofKey.length)) !== undefined
  return known.apiKey !== undefined && credential === operatorCredential(known.apiKey)
}

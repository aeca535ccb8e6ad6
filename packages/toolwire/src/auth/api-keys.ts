import { checkOptions, optionsOf } from '../tools/checks/known-options.js'
import { isMoment, someFunction, someObject, someText } from '../tools/checks/option-values.js'
import type { Arrival, Authenticate, AuthenticationResult } from '../transports/http/server/options.js'
import { type ApiKeyStore, apiKeyIdOf } from './api-key.js'
import { bearerToken, invalidToken } from './bearer.js'
import { fingerprint, hex, sameInConstantTime } from './fingerprint.js'

export type ApiKeysOptions = {
  readonly store: ApiKeyStore
  /** A header that may carry the key instead of `Authorization`, such as `x-api-key`. */
  readonly header?: string
  readonly now?: () => number
}

const known = optionsOf<ApiKeysOptions>()({ store: someObject, header: someText, now: someFunction })

/**
 * Accepts keys from `createApiKey` as bearer tokens.
 *
 * @example
 * ```ts
 * const authenticate = apiKeys({ store: memoryApiKeys([]), header: 'x-api-key' })
 * ```
 */
export function apiKeys(options: ApiKeysOptions): Authenticate {
  checkOptions('apiKeys()', options, known)
  const { store, header, now = Date.now } = options
  const name = header?.toLowerCase()
  const holderOf = async (key: string, id: string): Promise<AuthenticationResult> => {
    const record = await store.find(id)
    // Unknown keys are compared, too, so that timing does not reveal which ids exist.
    const same = sameInConstantTime(hex(await fingerprint(key)), record?.hash ?? nobodys)
    if (!record || !same) return invalidToken('The key is not known')
    const { caller, scopes, expiresAt } = record
    if (expiresAt !== undefined && !(isMoment(expiresAt) && expiresAt > now())) return invalidToken('The key has expired')
    return { id: caller, scopes, ...(expiresAt !== undefined && { expiresAt }) }
  }
  const authenticate: Authenticate = (request) => {
    const key = keyIn(request, name)
    const id = key === undefined ? undefined : apiKeyIdOf(key)
    return key === undefined || id === undefined ? undefined : holderOf(key, id)
  }
  return name === undefined ? authenticate : Object.assign(authenticate, { headers: [name] })
}

const nobodys = '0'.repeat(64)

function keyIn(request: Arrival, name: string | undefined): string | undefined {
  const token = bearerToken(request)
  if (typeof token === 'string') return token
  return name === undefined ? undefined : request.header(name)?.trim()
}

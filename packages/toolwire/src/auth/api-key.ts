import { definitionError } from '../tools/checks/definition-error.js'
import { checkOptions, optionsOf } from '../tools/checks/known-options.js'
import { someMoment, someText, someTexts } from '../tools/checks/option-values.js'
import { base64Url } from '../tools/content.js'
import { fingerprint, hex } from './fingerprint.js'

/** The stored record of an API key: enough to recognize the key, too little to use it. */
export type ApiKeyRecord = {
  readonly id: string
  /** SHA-256 of the whole key, in hexadecimal. The key has 256 random bits, so no slow hash is needed to hide it. */
  readonly hash: string
  /** The caller that uses the key, as `Caller.id`. */
  readonly caller: string
  readonly scopes: readonly string[]
  /** Milliseconds since 1970. */
  readonly expiresAt?: number
}

/** A store of API key records, such as a table, a file or a map. */
export interface ApiKeyStore {
  find(id: string): ApiKeyRecord | undefined | Promise<ApiKeyRecord | undefined>
}

export type NewApiKey = {
  /** The caller that will use the key. Default: `key:` and the id of the key. */
  readonly caller?: string
  readonly scopes: readonly string[]
  readonly expiresAt?: number
}

/** A new API key, to be shown once, and its record, to be stored. */
export type ApiKey = { readonly key: string; readonly record: ApiKeyRecord }

const known = optionsOf<NewApiKey>()({ caller: someText, scopes: someTexts, expiresAt: someMoment })
const form = /^tw_([0-9a-f]{16})_[\w-]{43}$/

/**
 * Creates an API key of 256 random bits, and its record.
 *
 * @example
 * ```ts
 * const { key, record } = await createApiKey({ caller: 'nightly-report', scopes: ['orders:read'] })
 * ```
 */
export async function createApiKey(options: NewApiKey): Promise<ApiKey> {
  checkOptions('createApiKey()', options, known)
  const { caller, scopes, expiresAt } = options
  const id = hex(crypto.getRandomValues(new Uint8Array(8)))
  const key = `tw_${id}_${base64Url(crypto.getRandomValues(new Uint8Array(32)))}`
  const hash = hex(await fingerprint(key))
  return { key, record: { id, hash, caller: caller ?? `key:${id}`, scopes, ...(expiresAt !== undefined && { expiresAt }) } }
}

/** The id within an API key; undefined if the text does not look like one. */
export const apiKeyIdOf = (key: string): string | undefined => form.exec(key)?.[1]

/**
 * Creates an API key store in memory, for a few keys that rarely change.
 *
 * @example
 * ```ts
 * const { record } = await createApiKey({ scopes: ['files:read'] })
 * const store = memoryApiKeys([record])
 * ```
 */
export function memoryApiKeys(records: readonly ApiKeyRecord[]): ApiKeyStore {
  const kept = new Map(records.map((record) => [record.id, record]))
  if (kept.size < records.length) throw definitionError('Two API keys have the same id')
  return { find: (id) => kept.get(id) }
}

// The public keys of an issuer, kept: new ones are fetched when they are needed, but never because strangers make up names of keys.
import type { CryptoKey, JWTVerifyGetKey } from 'jose'
import { isObject, type Json, type JsonObject } from '../json.js'
import { FetchUnavailable } from './fetch-object.js'
import { loadJose } from './jose.js'
import type { KeySource } from './key-source.js'

const freshMs = 10 * 60_000
/** Keys that cannot be fetched anew are good for so long; then nobody is believed any more. */
const usableMs = 60 * 60_000
/** The shortest time between two requests to the issuer. */
const restMs = 30_000

type Lookup = ReturnType<typeof import('jose').createLocalJWKSet>

/** Finds the key that a token names; throws FetchUnavailable where there are none to look among. */
export function keyRing(source: KeySource, now: () => number) {
  let lookup: Lookup | undefined
  let fetchedAt = Number.NEGATIVE_INFINITY
  let askedAt = Number.NEGATIVE_INFINITY
  let fetching: Promise<void> | undefined

  const fetchKeys = async () => {
    askedAt = now()
    const { createLocalJWKSet } = await loadJose()
    lookup = createLocalJWKSet({ keys: publicKeys(await source()) })
    fetchedAt = now()
  }

  /** Fetches the keys, once for all who wait; false if it is too early for that, or did not work. */
  const refreshed = async (): Promise<boolean> => {
    if (!fetching && now() - askedAt < restMs) return false
    fetching ??= fetchKeys().finally(() => {
      fetching = undefined
    })
    return fetching.then(() => true, reportNotRefreshed)
  }

  const usable = (): Lookup => {
    if (lookup && now() - fetchedAt <= usableMs) return lookup
    throw new FetchUnavailable('The keys of the issuer cannot be had')
  }

  return async (...asked: Parameters<JWTVerifyGetKey>): Promise<CryptoKey> => {
    const age = now() - fetchedAt
    if (age > usableMs) await refreshed()
    // The old ones do meanwhile; if the issuer hangs, nobody waits for it.
    else if (age > freshMs) void refreshed()
    try {
      return await usable()(...asked)
    } catch (thrown) {
      // A key that is not there may have come since: that is how keys are rotated.
      if (!isUnknownKey(thrown) || !(await refreshed())) throw thrown
      return await usable()(...asked)
    }
  }
}

type Keys = Parameters<typeof import('jose').createLocalJWKSet>[0]['keys']

/** Secrets have no place in a published set, and must not become one that verifies. */
function publicKeys({ keys }: JsonObject): Keys {
  if (!Array.isArray(keys)) throw new FetchUnavailable('The issuer has published no set of keys')
  return keys.filter(isPublic) as Keys // what else is in them is for jose to judge
}

const isPublic = (key: Json): boolean => isObject(key) && typeof key.kty === 'string' && key.kty !== 'oct' && key.d === undefined

const isUnknownKey = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_JWKS_NO_MATCHING_KEY'

/** What is kept still holds for a while; when it does not, that is said where it is looked for. */
function reportNotRefreshed(thrown: unknown): false {
  if (!(thrown instanceof FetchUnavailable)) throw thrown
  return false
}

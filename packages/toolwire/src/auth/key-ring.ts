// Caches the public keys of an issuer. New keys are fetched when needed, but made-up key ids cannot cause a flood of requests.
import type { CryptoKey, JWTVerifyGetKey } from 'jose'
import { isObject, type Json, type JsonObject } from '../json.js'
import { FetchUnavailable } from './fetch-object.js'
import { loadJose } from './jose.js'
import type { KeySource } from './key-source.js'
import { stopwatch } from './stopwatch.js'

const freshMs = 10 * 60_000
/** Cached keys are used for this long if the issuer cannot be reached; then every token is refused. */
const usableMs = 60 * 60_000
/** The shortest time between two requests to the issuer. */
const restMs = 30_000

const never = () => Number.POSITIVE_INFINITY

type Lookup = ReturnType<typeof import('jose').createLocalJWKSet>

/** Finds the key that a token names; throws FetchUnavailable if there are no usable keys. */
export function keyRing(source: KeySource, now: () => number) {
  let lookup: Lookup | undefined
  /** The times since the keys were fetched, and since they were last asked for. */
  let sinceFetched = never
  let sinceAsked = never
  let fetching: Promise<void> | undefined

  const fetchKeys = async () => {
    sinceAsked = stopwatch(now)
    const { createLocalJWKSet } = await loadJose()
    lookup = createLocalJWKSet({ keys: publicKeys(await source()) })
    sinceFetched = stopwatch(now)
  }

  /** Fetches the keys, once for all waiting callers. Returns false if the last request was too recent, or if this one fails. */
  const refreshed = async (): Promise<boolean> => {
    if (!fetching && sinceAsked() < restMs) return false
    fetching ??= fetchKeys().finally(() => {
      fetching = undefined
    })
    return fetching.then(() => true, reportNotRefreshed)
  }

  const usable = (): Lookup => {
    if (lookup && sinceFetched() <= usableMs) return lookup
    throw new FetchUnavailable('The keys of the authorization server cannot be fetched now')
  }

  return async (...asked: Parameters<JWTVerifyGetKey>): Promise<CryptoKey> => {
    if (sinceFetched() > usableMs) await refreshed()
    // The old keys still hold, so no caller waits for the issuer.
    else if (sinceFetched() > freshMs) void refreshed()
    try {
      return await usable()(...asked)
    } catch (thrown) {
      // An unknown key may be new, because issuers rotate their keys.
      if (!isUnknownKey(thrown) || !(await refreshed())) throw thrown
      return await usable()(...asked)
    }
  }
}

type Keys = Parameters<typeof import('jose').createLocalJWKSet>[0]['keys']

/** Drops secret keys: they have no place in a published set, and must not verify tokens. */
function publicKeys({ keys }: JsonObject): Keys {
  if (!Array.isArray(keys)) throw new FetchUnavailable('The authorization server has published no set of keys')
  return keys.filter(isPublic) as Keys // jose checks the other members
}

const isPublic = (key: Json): boolean => isObject(key) && typeof key.kty === 'string' && key.kty !== 'oct' && key.d === undefined

const isUnknownKey = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_JWKS_NO_MATCHING_KEY'

/** A failed refresh is not an error yet: cached keys hold for a while, and then `usable` throws. */
function reportNotRefreshed(thrown: unknown): false {
  if (!(thrown instanceof FetchUnavailable)) throw thrown
  return false
}

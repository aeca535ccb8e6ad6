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
type Asked = Parameters<JWTVerifyGetKey>

export class KeyRing {
  readonly #source: KeySource
  readonly #now: () => number
  #lookup: Lookup | undefined
  #fetchedAt = Number.NEGATIVE_INFINITY
  #askedAt = Number.NEGATIVE_INFINITY
  #fetching: Promise<void> | undefined

  constructor(source: KeySource, now: () => number) {
    this.#source = source
    this.#now = now
  }

  /** The key that a token names; throws Unavailable where there are none to look among. */
  readonly find = async (...asked: Asked): Promise<CryptoKey> => {
    const lookup = await this.#ready()
    try {
      return await lookup(...asked)
    } catch (thrown) {
      // A key that is not there may have come since: that is how keys are rotated.
      if (!isUnknownKey(thrown) || !(await this.#refreshed())) throw thrown
      return await this.#usable(...asked)
    }
  }

  async #ready(): Promise<Lookup> {
    const age = this.#now() - this.#fetchedAt
    if (age > usableMs) await this.#refreshed()
    // The old ones do meanwhile; if the issuer hangs, nobody waits for it.
    else if (age > freshMs) void this.#refreshed()
    return this.#usable
  }

  get #usable(): Lookup {
    if (this.#lookup && this.#now() - this.#fetchedAt <= usableMs) return this.#lookup
    throw new FetchUnavailable('The keys of the issuer cannot be had')
  }

  /** Fetches the keys, once for all who wait; false if it is too early for that, or did not work. */
  async #refreshed(): Promise<boolean> {
    if (!this.#fetching && this.#now() - this.#askedAt < restMs) return false
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined
    })
    return this.#fetching.then(yes, reportNotRefreshed)
  }

  async #fetch(): Promise<void> {
    this.#askedAt = this.#now()
    const { createLocalJWKSet } = await loadJose()
    const set = await this.#source()
    this.#lookup = createLocalJWKSet({ keys: publicKeys(set) })
    this.#fetchedAt = this.#now()
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

const yes = () => true

/** What is kept still holds for a while; when it does not, that is said where it is looked for. */
function reportNotRefreshed(thrown: unknown): false {
  if (!(thrown instanceof FetchUnavailable)) throw thrown
  return false
}

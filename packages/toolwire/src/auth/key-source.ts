import { isObject, type JsonObject } from '../json.js'
import { secureUrl } from '../tools/checks/secure-url.js'
import { type AuthFetch, FetchUnavailable, fetchObject } from './fetch-object.js'

/** Returns the current set of an issuer's keys. */
export type KeySource = () => Promise<JsonObject>

/** Uses the given keys, or their URL, or the URL in the metadata of the issuer. */
export function keySource(issuer: string, jwks: string | JsonObject | undefined, fetch: AuthFetch | undefined): KeySource {
  if (typeof jwks === 'object') return async () => jwks
  let address = jwks
  return async () => {
    address ??= await addressOfKeys(issuer, fetch)
    return fetchObject(address, asJson, fetch)
  }
}

const asJson: RequestInit = { headers: { accept: 'application/json' } }

/** RFC 8414, section 3; OpenID Connect Discovery 1.0, section 4. */
async function addressOfKeys(issuer: string, fetch: AuthFetch | undefined): Promise<string> {
  for (const address of wellKnown(issuer)) {
    const metadata = await fetchObject(address, asJson, fetch).catch(ignoreMissing)
    if (!isObject(metadata) || typeof metadata.jwks_uri !== 'string') continue
    if (metadata.issuer !== issuer) throw new FetchUnavailable(`The metadata at ${address} is that of another issuer`)
    return secureUrl(metadata.jwks_uri, 'jwks_uri').href
  }
  throw new FetchUnavailable(`The metadata of ${issuer} names no jwks_uri; name the address of the keys in "jwks"`)
}

function wellKnown(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]
}

/** Metadata may be at any of several addresses, so a missing document is no error. */
function ignoreMissing(thrown: unknown): undefined {
  if (!(thrown instanceof FetchUnavailable)) throw thrown
}

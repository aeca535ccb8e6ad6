import { type ClientAuth, PrivateKeyJwt } from 'oauth4webapi'
import type { Credentials } from '../../../peer/client-transport.js'
import { checkOptions, optionsOf } from '../../../tools/checks/known-options.js'
import { someText } from '../../../tools/checks/option-values.js'
import { oauthCredentials } from '../oauth-credentials.js'
import { OAuthFailure } from '../oauth-failure.js'
import { clientAuth } from '../registration/client-identity.js'
import { boundIdentity, type PreRegistered, preRegisteredValues } from '../registration/identify.js'
import { redeem, type TokenEndpoint } from '../tokens/token-endpoint.js'
import { tokensFrom } from '../tokens/tokens.js'
import { type AccessOptions, accessValues, type GrantTarget } from './token-grant.js'

/** Without `issuer`, the credentials are bound to the first authorization server that the MCP server names. */
export type ClientCredentialsOptions = AccessOptions & PreRegistered & Partial<SigningKey>

/** A key that signs the client's own assertions, instead of a secret that is sent. */
export type SigningKey = {
  /** PKCS #8, PEM. */
  privateKey: string
  /** For example RS256; ES256 by default. */
  algorithm?: string
  keyId?: string
}

const known = optionsOf<ClientCredentialsOptions>()(accessValues, preRegisteredValues, { 'privateKey algorithm keyId': someText })

/**
 * Credentials for machine-to-machine access, by the client credentials grant.
 *
 * @example
 * ```ts
 * const credentials = clientCredentials({ clientId: 'nightly', clientSecret: process.env.SECRET ?? '' })
 * ```
 */
export function clientCredentials(options: ClientCredentialsOptions): Credentials {
  checkOptions('clientCredentials()', options, known)
  if (options.clientSecret === undefined && options.privateKey === undefined)
    throw new OAuthFailure('bad_options', 'Client credentials need a clientSecret or a privateKey')
  const obtain = async (target: GrantTarget) => redeemFor(target, await tokenEndpointFor(options, target), 'client_credentials')
  return oauthCredentials({ client: options, unattended: true, obtain }, options)
}

/** Gets tokens for the target by a grant that asks no person. */
export async function redeemFor(target: GrantTarget, at: TokenEndpoint, grant: string, more: Record<string, string> = {}) {
  const { resource, scopes } = target
  return tokensFrom(await redeem(at, grant, { ...more, resource, ...scopeParameter(scopes) }), scopes)
}

export const scopeParameter = (scopes: readonly string[]): Record<string, string> =>
  scopes.length > 0 ? { scope: scopes.join(' ') } : {}

/** Returns the token endpoint, with the authentication of a pre-registered client. */
export async function tokenEndpointFor(options: PreRegistered & Partial<SigningKey>, target: GrantTarget) {
  const { as, vault, egress, proofs } = target
  if (as.token_endpoint === undefined)
    throw new OAuthFailure('no_metadata', `The metadata of ${as.issuer} names no token endpoint`)
  const identity = await boundIdentity(options, as.issuer, vault)
  const { privateKey } = options
  const auth = privateKey === undefined ? clientAuth(identity, as) : await keyAuth({ ...options, privateKey })
  return { as, client: { client_id: identity.clientId }, auth, egress, proofs }
}

async function keyAuth({ privateKey, algorithm = 'ES256', keyId }: SigningKey): Promise<ClientAuth> {
  const key = await importPrivateKey(privateKey, algorithm)
  return PrivateKeyJwt(keyId === undefined ? key : { key, kid: keyId })
}

/** Web Crypto parameters of the signing algorithms, by their names in JWTs. */
const algorithms: Readonly<Record<string, RsaHashedImportParams | EcKeyImportParams | Algorithm>> = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  ES384: { name: 'ECDSA', namedCurve: 'P-384' },
  ES512: { name: 'ECDSA', namedCurve: 'P-521' },
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  RS384: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-384' },
  RS512: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-512' },
  PS256: { name: 'RSA-PSS', hash: 'SHA-256' },
  PS384: { name: 'RSA-PSS', hash: 'SHA-384' },
  PS512: { name: 'RSA-PSS', hash: 'SHA-512' },
  EdDSA: { name: 'Ed25519' },
  Ed25519: { name: 'Ed25519' },
}

/** Reads a PKCS #8 key in PEM form, `-----BEGIN PRIVATE KEY-----`. */
async function importPrivateKey(pem: string, alg: string): Promise<CryptoKey> {
  const kind = Object.hasOwn(algorithms, alg) ? algorithms[alg] : undefined
  if (!kind)
    throw new OAuthFailure(
      'bad_options',
      `The signing algorithm ${alg} is not supported. Use one of ${Object.keys(algorithms).join(', ')}`,
    )
  const [, base64] = /-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----/.exec(pem) ?? []
  if (base64 === undefined) throw new OAuthFailure('bad_options', 'The private key is not in PKCS #8 PEM form')
  const bytes = Uint8Array.from(atob(base64.replace(/\s/g, '')), (character) => character.charCodeAt(0))
  return crypto.subtle.importKey('pkcs8', bytes, kind, false, ['sign']).catch(() => {
    throw new OAuthFailure('bad_options', `The private key cannot be used with ${alg}`)
  })
}

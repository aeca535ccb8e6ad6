import { OAuthFailure } from '../oauth-failure.js'

/** How private keys of that kind sign, by their names in JWTs. */
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
export async function importPrivateKey(pem: string, alg: string): Promise<CryptoKey> {
  const kind = Object.hasOwn(algorithms, alg) ? algorithms[alg] : undefined
  if (!kind) throw new OAuthFailure('bad_options', `There is no way to sign with ${alg}`)
  const [, base64] = /-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----/.exec(pem) ?? []
  if (base64 === undefined) throw new OAuthFailure('bad_options', 'The private key is not in PKCS #8 PEM form')
  const bytes = Uint8Array.from(atob(base64.replace(/\s/g, '')), (character) => character.charCodeAt(0))
  return crypto.subtle.importKey('pkcs8', bytes, kind, false, ['sign']).catch(() => {
    throw new OAuthFailure('bad_options', `The private key is not one for ${alg}`)
  })
}

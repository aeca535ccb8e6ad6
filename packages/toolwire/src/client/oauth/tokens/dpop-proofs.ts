// Proof of possession (RFC 9449): each request is signed, with a nonce where the server wants one.
import * as oauth from 'oauth4webapi'
import type { CredentialsRequest } from '../../../peer/client-transport.js'
import type { Vault } from './vault.js'

export type DpopProofs = Awaited<ReturnType<typeof dpopProofs>>

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const
/** The signing algorithm of P-256 keys, the only one that we use. */
export const proofAlgorithm = 'ES256'

export async function dpopProofs(vault: Vault) {
  const keys = (await keptKeys(vault)) ?? (await newKeys(vault))
  const nonces = new Map<string, string>()
  return {
    atTokenEndpoint: oauth.DPoP({}, keys),
    headers: (token: string, request: CredentialsRequest) =>
      signed(token, request, signer(keys, nonces.get(new URL(request.url).origin))),
    /** Stores the nonce that this server wants from now on. */
    storeNonce: (url: string, nonce: string) => void nonces.set(new URL(url).origin, nonce),
  }
}

/** Signs with the given nonce only, because servers and token endpoints hand out nonces of their own, even on the same origin. */
function signer(keys: CryptoKeyPair, nonce: string | undefined): oauth.DPoPHandle {
  return oauth.DPoP({}, keys, {
    [oauth.modifyAssertion](_header, payload) {
      payload.nonce = nonce
    },
  })
}

/** Lets the library write the headers of a request that it does not send; the transport sends the real one. */
async function signed(token: string, request: CredentialsRequest, handle: oauth.DPoPHandle): Promise<Record<string, string>> {
  let written: Record<string, string> = {}
  await oauth.protectedResourceRequest(token, request.httpMethod, new URL(request.url), undefined, undefined, {
    DPoP: handle,
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: async (_url, init) => {
      written = init.headers
      return new Response()
    },
  })
  return { authorization: written.authorization!, dpop: written.dpop! }
}

/** Loads stored keys, because stored tokens are worthless without the keys that they are bound to. */
async function keptKeys(vault: Vault): Promise<CryptoKeyPair | undefined> {
  const kept = await vault.keys.get()
  if (!kept) return undefined
  const { d: _private, ...open } = kept
  const [privateKey, publicKey] = await Promise.all([imported(kept, 'sign'), imported({ ...open, key_ops: [] }, 'verify')])
  return { privateKey, publicKey }
}

const imported = (key: JsonWebKey, usage: 'sign' | 'verify') =>
  crypto.subtle.importKey('jwk', { ...key, key_ops: [usage] }, algorithm, true, [usage])

async function newKeys(vault: Vault): Promise<CryptoKeyPair> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey('jwk', keys.privateKey)
  await vault.keys.put({ kty, crv, x, y, d })
  return keys
}

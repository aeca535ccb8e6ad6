// A test authorization server: signs tokens and publishes the keys that verify them.
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose'
import { type Answer, type Asked, json, nothing, type Web, web } from '../client/oauth/web.js'

type Pair = Awaited<ReturnType<typeof generateKeyPair>> & { readonly kid: string; readonly alg: string }

export interface Issuer extends Web {
  readonly url: string
  readonly jwks: string
  /** The current signing key. Each rotation replaces it. */
  signer(): Promise<Pair>
  rotate(alg?: string): Promise<void>
  published(): Promise<object[]>
  /** A valid token for the resource, except for the given claims and headers. */
  token(resource: string, claims?: object, header?: Partial<JWTHeaderParameters>): Promise<string>
}

export type IssuerScript = {
  /** Replaces the response of the key endpoint. */
  readonly keys?: (asked: Asked) => Answer | undefined | Promise<Answer | undefined>
  readonly introspect?: (form: URLSearchParams, asked: Asked) => Answer | Promise<Answer>
}

export const seconds = (offset = 0): number => Math.floor(Date.now() / 1_000) + offset
let count = 0

export async function issuer(script: IssuerScript = {}): Promise<Issuer> {
  // Generating keys is slow, and many issuers never sign, so the key is made on first use.
  let made: Promise<Pair> | undefined
  const signer = () => {
    made ??= pair('RS256')
    return made
  }
  const published = async () => [await publicJwk(await signer())]
  const server = await web((origin) => async (asked) => {
    if (asked.path === '/.well-known/openid-configuration') return json({ issuer: origin, jwks_uri: `${origin}/jwks` })
    if (asked.path === '/jwks') return (await script.keys?.(asked)) ?? json({ keys: await published() })
    if (asked.path === '/introspect' && script.introspect) return script.introspect(new URLSearchParams(asked.body), asked)
    return nothing
  })
  return {
    ...server,
    url: server.origin,
    jwks: `${server.origin}/jwks`,
    signer,
    published,
    async rotate(alg = 'RS256') {
      made = pair(alg)
      await made
    },
    async token(resource, claims = {}, header = {}) {
      const { alg, kid, privateKey } = await signer()
      const whole = { iss: server.origin, sub: 'ana', aud: resource, iat: seconds(), exp: seconds(300), ...claims }
      return new SignJWT(whole).setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header }).sign(privateKey)
    },
  }
}

const pair = async (alg: string): Promise<Pair> => ({
  ...(await generateKeyPair(alg, { extractable: true })),
  kid: `key-${++count}`,
  alg,
})

export const publicJwk = async ({ publicKey, kid, alg }: Pair) => ({ ...(await exportJWK(publicKey)), kid, alg, use: 'sig' })

// Fetching, caching and rotating the keys of an issuer.
import { generateKeyPair, SignJWT } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type AuthFetch, fetchObject } from '../../src/auth/fetch-object.js'
import { bearerJwt } from '../../src/auth/index.js'
import { json } from '../client/oauth/web.js'
import { expectAfter, expectWithin } from '../soak.js'
import { type IssuerScript, issuer, seconds } from './issuer.js'
import { bearer, serve, use } from './served.js'

const minute = 60_000
afterEach(() => void vi.useRealTimers())

/** An issuer, a server that trusts it, and a manual clock. */
async function setting(script: IssuerScript = {}, given: { jwks?: 'named' | 'found'; fetch?: AuthFetch; ownClock?: false } = {}) {
  const as = await issuer(script)
  const clock = { ahead: 0 }
  const now = () => Date.now() + clock.ahead
  const { fetch } = given
  const at = await serve((resource) => ({
    authenticate: bearerJwt({
      issuer: as.url,
      resource,
      ...(given.ownClock !== false && { now }),
      clockSkewSeconds: 7_200,
      ...(given.jwks !== 'found' && { jwks: as.jwks }),
      ...(fetch && { fetch }),
    }),
  }))
  return {
    as,
    at,
    clock,
    status: async (token?: string) => (await use(at.url, 'who', bearer(token ?? (await as.token(at.url))))).status,
    async [Symbol.asyncDispose]() {
      await at[Symbol.asyncDispose]()
      await as[Symbol.asyncDispose]()
    },
  }
}

it('an unreachable authorization server causes an error with its own name', async () => {
  const down: AuthFetch = () => Promise.reject(new TypeError('refused'))
  await expect(fetchObject('https://as.example/', {}, down)).rejects.toMatchObject({ name: 'FetchUnavailable' })
})

describe('the keys', () => {
  it('are found by the metadata of the issuer, and fetched once for many tokens', async () => {
    await using s = await setting({}, { jwks: 'found' })
    const statuses = await Promise.all(Array.from({ length: 20 }, () => s.status()))
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(s.as.at('/jwks')).toHaveLength(1)
    expect(s.as.at('/.well-known/openid-configuration')).toHaveLength(1)
  })

  it('are refused if the metadata names another issuer', async () => {
    await using other = await issuer()
    const fetch: AuthFetch = (url, init) =>
      url.includes('well-known')
        ? Promise.resolve(Response.json({ issuer: other.url, jwks_uri: other.jwks }))
        : globalThis.fetch(url, init)
    await using s = await setting({}, { jwks: 'found', fetch })
    expect(await s.status()).toBe(503)
    expect(other.seen).toEqual([])
  })

  it('are rotated: a token with an unknown key id causes a fetch, and removed keys are no longer accepted', async () => {
    await using s = await setting()
    const old = await s.as.token(s.at.url)
    expect(await s.status(old)).toBe(200)
    await s.as.rotate('ES256')
    s.clock.ahead += minute
    expect(await s.status()).toBe(200)
    expect(await s.status(old)).toBe(401)
    expect(s.as.at('/jwks')).toHaveLength(2)
  })

  it('are not fetched again for every made-up key id', async () => {
    await using s = await setting()
    expect(await s.status()).toBe(200)
    const stranger = await generateKeyPair('RS256')
    const forge = (kid: string) =>
      new SignJWT({ iss: s.as.url, sub: 'x', aud: s.at.url, exp: seconds(300) })
        .setProtectedHeader({ alg: 'RS256', kid })
        .sign(stranger.privateKey)
    const tokens = await Promise.all(Array.from({ length: 100 }, (_, n) => forge(`made-up-${n}`)))
    expect(new Set(await Promise.all(tokens.map((token) => s.status(token))))).toEqual(new Set([401]))
    expect(s.as.at('/jwks')).toHaveLength(1)
    s.clock.ahead += 31_000
    expect(new Set(await Promise.all(tokens.map((token) => s.status(token))))).toEqual(new Set([401]))
    expect(s.as.at('/jwks')).toHaveLength(2)
    expect(await s.status()).toBe(200)
  })

  it('stay valid for an hour while the issuer is down; after that all tokens are refused until it is back', async () => {
    let down = false
    await using s = await setting({ keys: () => (down ? { status: 500 } : undefined) })
    expect(await s.status()).toBe(200)
    down = true
    s.clock.ahead += 59 * minute
    expect(await s.status()).toBe(200)
    s.clock.ahead += 2 * minute
    const refused = await use(s.at.url, 'who', bearer(await s.as.token(s.at.url)))
    expect([refused.status, refused.header('retry-after'), refused.challenge]).toEqual([503, '30', ''])
    down = false
    s.clock.ahead += minute
    expect(await s.status()).toBe(200)
  })

  it('are refreshed before a token is verified with outdated ones', async () => {
    await using s = await setting()
    const old = await s.as.token(s.at.url)
    expect(await s.status(old)).toBe(200)
    await s.as.rotate()
    s.clock.ahead += 61 * minute
    expect(await s.status(old)).toBe(401)
    expect(await s.status()).toBe(200)
  })

  it.each<[string, () => unknown]>([
    ['the clock of the machine is set back', () => vi.advanceTimersByTime(61 * minute).setSystemTime(Date.now() - 61 * minute)],
    ['the machine sleeps, and its monotonic clock with it', () => vi.setSystemTime(Date.now() + 61 * minute)],
  ])('expire after an hour although %s', async (_, wait) => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    await using s = await setting({}, { ownClock: false })
    const old = await s.as.token(s.at.url)
    expect(await s.status(old)).toBe(200)
    await s.as.rotate()
    wait()
    expect(await s.status(old)).toBe(401)
  })

  it('are not fetched by every request while fetching fails', async () => {
    await using s = await setting({ keys: () => ({ status: 500 }) })
    for (let n = 0; n < 10; n++) expect(await s.status()).toBe(503)
    expect(s.as.at('/jwks')).toHaveLength(1)
  })
})

describe('an invalid response to the fetch of keys', () => {
  it.each([
    ['10 MB', () => json({ keys: [], padding: 'x'.repeat(10 * 1024 * 1024) })],
    [
      '10 MB of keys',
      () =>
        json({ keys: Array.from({ length: 40_000 }, (_, n) => ({ kty: 'RSA', kid: `k${n}`, n: 'x'.repeat(200), e: 'AQAB' })) }),
    ],
    ['a page', () => ({ status: 200, body: '<html>' })],
    ['a list', () => json([])],
    ['no keys', () => json({ keys: 'none' })],
    ['an error', () => ({ status: 404 })],
    ['JSON without an end', () => ({ status: 200, body: '{"keys":['.repeat(1_000) })],
  ])('%s: all tokens are refused', async (_what, keys) => {
    await using s = await setting({ keys })
    expect(await s.status()).toBe(503)
  })

  it('a redirect is not followed', async () => {
    await using other = await issuer()
    await using s = await setting({ keys: () => ({ status: 302, headers: { location: other.jwks } }) })
    expect(await s.status()).toBe(503)
    expect(other.seen).toEqual([])
  })

  it('no response times out after 5 s, and other issuers are served meanwhile', async () => {
    await using s = await setting({ keys: () => new Promise<never>(() => {}) })
    const begun = Date.now()
    const hanging = Promise.all([s.status(), s.status(), s.status()])
    expect((await use(s.at.url, 'who')).status).toBe(401)
    expectWithin(Date.now() - begun, 1_000)
    expect(await hanging).toEqual([503, 503, 503])
    expectAfter(Date.now() - begun, 4_500)
    expectWithin(Date.now() - begun, 8_000)
    expect(s.as.at('/jwks')).toHaveLength(1)
  })

  it('no response does not delay tokens whose key is known', async () => {
    let hangs = false
    await using s = await setting({ keys: () => (hangs ? new Promise<never>(() => {}) : undefined) })
    expect(await s.status()).toBe(200)
    hangs = true
    s.clock.ahead += 11 * minute
    const begun = Date.now()
    expect(await s.status()).toBe(200)
    expectWithin(Date.now() - begun, 1_000)
  })
})

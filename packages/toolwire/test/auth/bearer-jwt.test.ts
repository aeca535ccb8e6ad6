// Valid and forged signed tokens over real HTTP.
import { createHmac } from 'node:crypto'
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { BearerJwtOptions } from '../../src/auth/bearer-jwt.js'
import { bearerJwt } from '../../src/auth/index.js'
import { json } from '../client/oauth/web.js'
import { type Issuer, issuer, publicJwk, seconds } from './issuer.js'
import { bearer, type Served, serve, use, who } from './served.js'

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('signed tokens', () => {
  let as: Issuer
  let at: Served
  beforeAll(async () => {
    as = await issuer()
    at = await serve((resource) => ({
      authenticate: bearerJwt({ issuer: as.url, resource, otherAudiences: ['https://sister.example'] }),
    }))
  })
  afterAll(async () => {
    await at[Symbol.asyncDispose]()
    await as[Symbol.asyncDispose]()
  })
  const good = (claims = {}, header = {}) => as.token(at.url, claims, header)

  it.each([
    ['only the required claims', {}, '[]'],
    ['scope', { scope: 'a b' }, '[a b]'],
    ['scp as a string', { scp: 'a b' }, '[a b]'],
    ['scp as a list', { scp: ['a', 'b'] }, '[a b]'],
    ['permissions', { permissions: ['a', 'b'] }, '[a b]'],
    ['both scope and permissions', { scope: 'a', permissions: ['a', 'b'] }, '[a b]'],
    ['a wildcard scope, which is ignored', { scope: '* a' }, '[a]'],
    ['our URL in a list of audiences', { aud: ['OURS'] }, '[]'],
    ['our URL and an allowed other audience', { aud: ['https://sister.example', 'OURS'] }, '[]'],
  ])('a token with %s is taken', async (_what, claims, scopes) => {
    const aud = 'aud' in claims ? { aud: claims.aud.map((one) => (one === 'OURS' ? at.url : one)) } : {}
    expect(await who(at.url, await good({ ...claims, ...aud }))).toBe(`${as.url} ana ${scopes}`)
  })

  it.each(['at+jwt', 'application/at+jwt', 'AT+JWT', 'JWT', undefined])('may have the type %s', async (typ) => {
    expect(await who(at.url, await good({}, { typ }))).toContain('ana')
  })

  it.each([
    ['30 s after its expiry', { exp: -30 }, 200],
    ['61 s after its expiry', { exp: -61 }, 401],
    ['59 s before it becomes valid', { nbf: 59 }, 200],
    ['62 s before it becomes valid', { nbf: 62 }, 401],
  ])('AUTHS-002 a token %s: clocks may differ by a minute', async (_when, offsets, status) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const claims = Object.fromEntries(Object.entries(offsets).map(([name, offset]) => [name, seconds(offset)]))
    expect((await use(at.url, 'who', bearer(await good(claims)))).status).toBe(status)
  })

  const critical = async () => {
    const { kid, privateKey } = await as.signer()
    return new SignJWT({ iss: as.url, sub: 'ana', aud: at.url, exp: seconds(300) })
      .setProtectedHeader({ alg: 'RS256', kid, crit: ['ours'], ours: true })
      .sign(privateKey, { crit: { ours: true } })
  }
  const bad: [string, () => string | Promise<string>][] = [
    ['no JWT', () => 'abc'],
    ['a JWT without claims', () => `${encode({ alg: 'RS256' })}.${encode([])}.abc`],
    ['a wrong signature', async () => `${(await good()).split('.').slice(0, 2).join('.')}.${'A'.repeat(342)}`],
    ['no signature', async () => `${(await good()).split('.').slice(0, 2).join('.')}.`],
    ['changed claims', async () => swap(await good(), { sub: 'root', iss: as.url, aud: at.url, exp: seconds(300) })],
    ['an expiry long past', () => good({ exp: seconds(-3_600) })],
    ['no expiry', () => good({ exp: undefined })],
    ['an expiry that is not a number', () => good({ exp: '9999999999' })],
    ['a start in the future', () => good({ nbf: seconds(3_600) })],
    ['no subject', () => good({ sub: undefined })],
    ['an empty subject', () => good({ sub: '' })],
    ['another issuer', () => good({ iss: 'https://other.example' })],
    ['an issuer with an extra slash', () => good({ iss: `${as.url}/` })],
    ['the type of a logout token', () => good({}, { typ: 'logout+jwt' })],
    ['the type of a DPoP proof', () => good({}, { typ: 'dpop+jwt' })],
    ['a confirmation key (cnf)', () => good({ cnf: { jkt: 'x' } })],
    ['an unknown critical header', critical],
  ]
  it.each(bad)('AUTHS-002 a token with %s is answered with 401', async (_what, token) => {
    const { status, challenge } = await use(at.url, 'who', bearer(await token()))
    expect([status, challenge]).toEqual([401, 'Bearer'])
  })

  it.each([
    ['another server', () => 'https://other.example/mcp'],
    ['our origin', () => at.origin],
    ['a path below ours', () => `${at.url}/more`],
    ['our URL with a trailing slash', () => `${at.url}/`],
    ['our URL in upper case', () => at.url.toUpperCase()],
    ['a URL that begins with ours', () => `${at.url}.evil.example`],
    ['no audience', () => undefined],
    ['an object instead of a list', () => ({ [at.url]: true })],
  ])('AUTHS-008 a token for %s is refused', async (_whom, aud) => {
    const { status, error } = await use(at.url, 'who', bearer(await good({ aud: aud() })))
    expect([status, error?.message]).toEqual([401, 'The token is for another server'])
  })

  it.each([
    ['after ours', (ours: string) => [ours, 'https://other.example']],
    ['before ours', (ours: string) => ['https://other.example', ours]],
    ['besides an allowed one', (ours: string) => ['https://sister.example', ours, 'https://other.example']],
    ['that is not a string', (ours: string) => [ours, 1]],
    ['with an extra slash', (ours: string) => [ours, `${ours}/`]],
  ])('AUTHS-008 a token for another server %s is refused', async (_whom, aud) => {
    const { status, error } = await use(at.url, 'who', bearer(await good({ aud: aud(at.url) })))
    expect([status, error?.message]).toEqual([401, 'The token is also valid for other servers; request one for this server only'])
  })

  it('may name any other audiences if the option allows it', async () => {
    await using open = await serve((resource) => ({
      authenticate: bearerJwt({ issuer: as.url, resource, otherAudiences: 'any' }),
    }))
    expect(await who(open.url, await as.token(open.url, { aud: ['https://other.example', open.url] }))).toContain('ana')
  })
})

describe('a forged token', () => {
  let as: Issuer
  let at: Served
  beforeAll(async () => {
    as = await issuer()
    at = await serve((resource) => ({ authenticate: bearerJwt({ issuer: as.url, resource }) }))
  })
  afterAll(async () => {
    await at[Symbol.asyncDispose]()
    await as[Symbol.asyncDispose]()
  })
  const claims = () => ({ iss: as.url, sub: 'root', aud: at.url, exp: seconds(300) })
  const status = async (token: string) => (await use(at.url, 'who', bearer(token))).status

  it.each(['none', 'None', 'NONE', 'nOnE', ''])('is refused with alg %j and no signature', async (alg) => {
    expect(await status(`${encode({ alg, typ: 'at+jwt' })}.${encode(claims())}.`)).toBe(401)
    expect(await status(`${encode({ alg, typ: 'at+jwt', kid: (await as.signer()).kid })}.${encode(claims())}.AAAA`)).toBe(401)
  })

  it('is refused with HS256 and any form of the public key as its secret', async () => {
    const { publicKey, kid } = await as.signer()
    const pem = await exportSPKI(publicKey)
    const secrets = [
      pem,
      `${pem}\n`,
      pem.trim(),
      JSON.stringify(await exportJWK(publicKey)),
      (await exportJWK(publicKey)).n ?? '',
    ]
    for (const alg of ['HS256', 'HS384', 'HS512'])
      for (const secret of secrets) {
        const signed = `${encode({ alg, kid, typ: 'at+jwt' })}.${encode(claims())}`
        const mac = createHmac(alg.replace('HS', 'sha'), secret).update(signed).digest('base64url')
        expect(await status(`${signed}.${mac}`)).toBe(401)
      }
  })

  it('cannot supply its own key, neither embedded nor by URL', async () => {
    const own = await generateKeyPair('RS256', { extractable: true })
    const evil = await issuer({ keys: async () => json({ keys: [await publicJwk({ ...own, kid: 'evil', alg: 'RS256' })] }) })
    const jwk = { ...(await exportJWK(own.publicKey)), alg: 'RS256' }
    for (const extra of [
      { jwk },
      { jku: evil.jwks, kid: 'evil' },
      { x5u: evil.jwks },
      { kid: evil.jwks },
      { jku: evil.jwks, kid: (await as.signer()).kid },
    ]) {
      const token = await new SignJWT(claims()).setProtectedHeader({ alg: 'RS256', ...extra }).sign(own.privateKey)
      expect(await status(token)).toBe(401)
    }
    expect(evil.seen).toEqual([])
    await evil[Symbol.asyncDispose]()
  })

  it.each([
    '../../../../dev/null',
    "' OR '1'='1",
    '__proto__',
    'constructor',
    'http://169.254.169.254/latest',
    'x'.repeat(2_000),
    '\u0000',
  ])('the kid %j is treated as a name and nothing else', async (kid) => {
    const own = await generateKeyPair('RS256')
    expect(await status(await new SignJWT(claims()).setProtectedHeader({ alg: 'RS256', kid }).sign(own.privateKey))).toBe(401)
  })

  it('is not verified with a symmetric secret among the published keys', async () => {
    const secret = Buffer.from('a secret of thirty-two bytes ...')
    const jwk = { kty: 'oct', kid: 'shared', alg: 'HS256', k: secret.toString('base64url') }
    await using careless = await issuer({ keys: () => json({ keys: [jwk] }) })
    await using there = await serve((resource) => ({ authenticate: bearerJwt({ issuer: careless.url, resource }) }))
    const token = await new SignJWT({ ...claims(), iss: careless.url, aud: there.url })
      .setProtectedHeader({ alg: 'HS256', kid: 'shared' })
      .sign(secret)
    expect((await use(there.url, 'who', bearer(token))).status).toBe(401)
  })

  it('is not verified with a key for another algorithm', async () => {
    const { privateKey, kid } = await as.signer()
    const pkcs8 = await crypto.subtle.exportKey('pkcs8', privateKey)
    const forPss = await crypto.subtle.importKey('pkcs8', pkcs8, { name: 'RSA-PSS', hash: 'SHA-256' }, false, ['sign'])
    const token = await new SignJWT(claims()).setProtectedHeader({ alg: 'PS256', kid }).sign(forPss)
    expect(await status(token)).toBe(401)
  })

  it('is refused if its algorithm is not in the options', async () => {
    await using there = await serve((resource) => ({
      authenticate: bearerJwt({ issuer: as.url, resource, algorithms: ['ES256'] }),
    }))
    expect((await use(there.url, 'who', bearer(await as.token(there.url)))).status).toBe(401)
    await as.rotate('ES256')
    await using later = await serve((resource) => ({
      authenticate: bearerJwt({ issuer: as.url, resource, algorithms: ['ES256'] }),
    }))
    expect((await use(later.url, 'who', bearer(await as.token(later.url)))).status).toBe(200)
  })

  it.each([['none'], ['HS256'], ['RS256', 'HS512'], ['A128KW'], []])('the option refuses the algorithms %j', (...algorithms) => {
    expect(() => options({ algorithms })).toThrow(/algorithm/)
  })

  it.each(['http://auth.example', 'auth.example', 'file:///keys'])('the option refuses keys at %s', (address) => {
    expect(() => options({ jwks: address })).toThrow(/https/)
    expect(() => options({ issuer: address })).toThrow(/https/)
  })
})

const options = (more: Partial<BearerJwtOptions>) =>
  bearerJwt({ issuer: 'https://auth.example', resource: 'https://shop.example/mcp', ...more })

function swap(token: string, claims: object): string {
  const [header, , signature] = token.split('.')
  return `${header}.${encode(claims)}.${signature}`
}

import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { clientCredentials, enterpriseManaged, workloadIdentity } from '../../../src/client/oauth/index.js'
import { type AuthorityScript, authority } from './authority.js'
import { call, thrownBy } from './call.js'
import { needs } from './guarded.js'
import { setting } from './setting.js'
import { json } from './web.js'

const methods = (...supported: string[]): AuthorityScript => ({
  metadata: (own) => ({ ...own, token_endpoint_auth_methods_supported: supported }),
})
const part = (jwt: string, index: number) => JSON.parse(Buffer.from(jwt.split('.')[index]!, 'base64url').toString())

describe('client credentials', () => {
  it.each(['client_secret_basic', 'client_secret_post'])('are sent by %s', async (method) => {
    await using at = await setting(methods(method), { challenge: () => 'Bearer scope="a"' })
    const credentials = clientCredentials({ clientId: 'job', clientSecret: 'hush' })
    expect(await call(credentials, at.server.url)).toBe(200)
    const [form] = at.as.redemptions()
    expect(Object.fromEntries(form!)).toMatchObject({ grant_type: 'client_credentials', resource: at.server.url, scope: 'a' })
    const basic = method === 'client_secret_basic'
    expect(at.as.at('/token')[0]?.headers.authorization).toBe(basic ? `Basic ${btoa('job:hush')}` : undefined)
    expect(form?.get('client_secret')).toBe(basic ? null : 'hush')
  })

  it.each([
    ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ['RS256', generateKeyPairSync('rsa', { modulusLength: 2048 })],
  ])('are proven with a key: %s', async (algorithm, { privateKey, publicKey }) => {
    await using at = await setting(methods('private_key_jwt'))
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const credentials = clientCredentials({ clientId: 'job', privateKey: pem, algorithm, keyId: 'k1' })
    expect(await call(credentials, at.server.url)).toBe(200)
    const assertion = at.as.redemptions()[0]?.get('client_assertion') ?? ''
    expect(part(assertion, 0)).toMatchObject({ alg: algorithm, kid: 'k1' })
    expect(part(assertion, 1)).toMatchObject({ iss: 'job', sub: 'job', aud: at.as.issuer })
    const [signed, signature] = [assertion.slice(0, assertion.lastIndexOf('.')), assertion.split('.')[2]!]
    const key = { key: createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })), dsaEncoding: 'ieee-p1363' as const }
    expect(verify('sha256', Buffer.from(signed), key, Buffer.from(signature, 'base64url'))).toBe(true)
  })

  it.each([
    [{}, 'need'],
    [{ privateKey: 'nonsense' }, 'PEM'],
    [{ privateKey: 'nonsense', algorithm: 'none' }, 'none'],
  ])('are refused if they are incomplete: %j', async (wrong, message) => {
    await using at = await setting()
    const attempt = async () => call(clientCredentials({ clientId: 'job', ...wrong }), at.server.url)
    expect(String(await thrownBy(attempt()))).toContain(message)
  })

  it('AUTHC-018 are sent to one authorization server only', async () => {
    await using at = await setting(methods('client_secret_post'))
    await using thief = await authority(methods('client_secret_post'))
    const credentials = clientCredentials({ clientId: 'job', clientSecret: 'hush', issuer: at.as.issuer })
    at.server.script.issuers = () => [thief.issuer]
    expect(await thrownBy(call(credentials, at.server.url))).toMatchObject({ code: 'wrong_issuer' })
    expect(thief.redemptions()).toEqual([])
  })

  it('AUTHC-018 belong to the authorization server that first issues a token for them', async () => {
    await using at = await setting()
    await using other = await authority({ token: () => json({ error: 'invalid_client' }, 401) })
    const credentials = clientCredentials({ clientId: 'job', clientSecret: 'hush' })
    at.server.script.issuers = () => [other.issuer]
    expect(await thrownBy(call(credentials, at.server.url))).toMatchObject({ oauthError: 'invalid_client' })
    at.server.script.issuers = () => [at.as.issuer]
    expect(await call(credentials, at.server.url)).toBe(200)
    await using third = await setting()
    expect(await thrownBy(call(credentials, third.server.url))).toMatchObject({ code: 'wrong_issuer' })
  })

  it('get a new token when the old one expires, before the server refuses it', async () => {
    const lives = [0.0001, 3600]
    await using at = await setting({ token: () => json({ access_token: 'x', token_type: 'bearer', expires_in: lives.shift() }) })
    const credentials = clientCredentials({ clientId: 'job', clientSecret: 'hush' })
    await call(credentials, at.server.url)
    expect(await call(credentials, at.server.url, { tries: 0 })).toBe(200)
    expect(at.as.redemptions()).toHaveLength(2)
  })

  it('keep a valid token while new ones are unavailable, without constant requests', async () => {
    let isDown = false
    await using at = await setting({ token: () => (isDown ? json({ error: 'server_error' }, 400) : undefined) })
    const credentials = clientCredentials({ clientId: 'job', clientSecret: 'hush' })
    await call(credentials, at.server.url)
    isDown = true
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    vi.setSystemTime(Date.now() + 3_575_000)
    const calls = () => Array.from({ length: 25 }, () => call(credentials, at.server.url, { tries: 0 }))
    for (const _ of ['at once', 'later']) expect(new Set(await Promise.all(calls()))).toEqual(new Set([200]))
    expect(at.as.redemptions()).toHaveLength(2)
  })

  it('may step up, but not endlessly', async () => {
    await using at = await setting({}, { refuse: () => needs('admin') })
    expect(await call(clientCredentials({ clientId: 'job', clientSecret: 'hush' }), at.server.url)).toBe(403)
    expect(at.as.redemptions()).toHaveLength(3)
  })
})

describe('workload identity', () => {
  it('uses the assertion of the platform', async () => {
    await using at = await setting()
    expect(await call(workloadIdentity({ clientId: 'job', assertion: async () => 'a.b.c' }), at.server.url)).toBe(200)
    expect(Object.fromEntries(at.as.redemptions()[0]!)).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: 'a.b.c',
      client_id: 'job',
      resource: at.server.url,
    })
  })

  it('does not reuse an assertion that was refused', async () => {
    await using at = await setting({
      token: (form) => (form.get('assertion') === 'new' ? undefined : json({ error: 'invalid_grant' }, 400)),
    })
    const assertions = ['old', 'old', 'new']
    const credentials = workloadIdentity({ clientId: 'job', assertion: () => assertions.shift()! })
    for (const _ of [1, 2]) expect(await thrownBy(call(credentials, at.server.url))).toMatchObject({ code: 'token_refused' })
    expect(at.as.redemptions()).toHaveLength(1)
    expect(await call(credentials, at.server.url)).toBe(200)
  })
})

it.each(['invalid_scope', 'invalid_target'])('workload identity reuses an assertion after %s', async (error) => {
  const refusals = [json({ error }, 400)]
  await using at = await setting({ token: () => refusals.pop() })
  const credentials = workloadIdentity({ clientId: 'job', assertion: () => 'a.b.c' })
  expect(await thrownBy(call(credentials, at.server.url))).toMatchObject({ code: 'token_refused', oauthError: error })
  expect(await call(credentials, at.server.url)).toBe(200)
})

it('workload identity reuses an assertion that was not evaluated', async () => {
  const busy = [json({ error: 'slow_down' }, 429), json('nonsense')]
  await using at = await setting({ token: () => busy.shift() })
  const credentials = workloadIdentity({ clientId: 'job', assertion: () => 'a.b.c' })
  for (const code of ['unreachable', 'bad_answer'])
    expect(await thrownBy(call(credentials, at.server.url))).toMatchObject({ code })
  expect(await call(credentials, at.server.url)).toBe(200)
})

describe('enterprise-managed authorization', () => {
  const idJag = 'urn:ietf:params:oauth:token-type:id-jag'
  const exchange = (issued = idJag): AuthorityScript => ({
    metadataAt: () => '/.well-known/openid-configuration',
    token: () => json({ access_token: 'id-jag', issued_token_type: issued, token_type: 'N_A' }),
  })
  const credentialsFor = (issuer: string) =>
    enterpriseManaged({
      client: { clientId: 'us', clientSecret: 'hush' },
      identityProvider: { issuer, clientId: 'us-at-idp', idToken: () => 'id-token' },
    })

  it('exchanges the ID token for an assertion, and the assertion for a token', async () => {
    await using idp = await authority(exchange())
    await using at = await setting(methods('client_secret_basic'), { challenge: () => 'Bearer scope="a"' })
    expect(await call(credentialsFor(idp.issuer), at.server.url)).toBe(200)
    expect(Object.fromEntries(idp.redemptions()[0]!)).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: idJag,
      audience: at.as.issuer,
      resource: at.server.url,
      subject_token: 'id-token',
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      client_id: 'us-at-idp',
      scope: 'a',
    })
    const [form] = at.as.redemptions()
    expect(form?.get('assertion')).toBe('id-jag')
    expect(at.as.at('/token')[0]?.headers.authorization).toBe(`Basic ${btoa('us:hush')}`)
    expect(JSON.stringify(at.as.seen)).not.toContain('id-token')
  })

  it('refuses an assertion of another type', async () => {
    await using idp = await authority(exchange('urn:ietf:params:oauth:token-type:access_token'))
    await using at = await setting()
    expect(await thrownBy(call(credentialsFor(idp.issuer), at.server.url))).toMatchObject({ code: 'bad_answer' })
    expect(at.as.redemptions()).toEqual([])
  })
})

// Opaque tokens, which the authorization server introspects.
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { AuthFetch } from '../../src/auth/fetch-object.js'
import { introspection } from '../../src/auth/index.js'
import type { IntrospectionOptions } from '../../src/auth/introspection.js'
import { type Answer, json } from '../client/oauth/web.js'
import { expectWithin } from '../soak.js'
import { until } from '../transports/fixture.js'
import { issuer, seconds } from './issuer.js'
import { bearer, serve, use, who } from './served.js'

afterEach(() => void vi.useRealTimers())

type Facts = Record<string, unknown> | Answer
type Told = Facts | Promise<Facts>

/** An authorization server that answers introspection by `about`, and a resource server that uses it. */
async function setting(about: (token: string, resource: string) => Told, more: Partial<IntrospectionOptions> = {}) {
  let resource = ''
  const as = await issuer({
    introspect: async (form) => {
      const facts = await about(form.get('token') ?? '', resource)
      return 'status' in facts && typeof facts.status === 'number' ? (facts as Answer) : json(facts)
    },
  })
  const clock = { ahead: 0 }
  const at = await serve((url) => {
    resource = url
    return {
      authenticate: introspection({
        issuer: as.url,
        endpoint: `${as.url}/introspect`,
        clientId: 'shop',
        clientSecret: 's3cret',
        resource: url,
        now: () => Date.now() + clock.ahead,
        ...more,
      }),
    }
  })
  return {
    as,
    at,
    clock,
    asked: () => as.at('/introspect').map(({ body }) => new URLSearchParams(body).get('token')),
    status: async (token: string) => (await use(at.url, 'who', bearer(token))).status,
    async [Symbol.asyncDispose]() {
      await at[Symbol.asyncDispose]()
      await as[Symbol.asyncDispose]()
    },
  }
}

const active = (resource: string, more: object = {}) => ({ active: true, sub: 'ana', aud: resource, ...more })

describe('a token that the authorization server calls active', () => {
  it('is accepted, with its subject and its scopes', async () => {
    await using s = await setting((_token, resource) => active(resource, { scope: 'a b *' }))
    expect(await who(s.at.url, 'opaque')).toBe(`${s.as.url} ana [a b]`)
  })

  it('is accepted with 8,192 characters of scopes', async () => {
    const scope = Array.from({ length: 64 }, (_, at) => `${at}`.padEnd(128, 'x')).join(' ')
    await using s = await setting((_token, resource) => active(resource, { scope }))
    expect(await s.status('opaque')).toBe(200)
  })

  it.each<[string, object, string]>([
    ['is for another server', { aud: 'https://other.example' }, 'The token is for another server'],
    ['AUTHS-008 is for nobody', { aud: undefined }, 'The token is for another server'],
    [
      'is also for other servers',
      { aud: ['https://other.example', 'OURS'] },
      'The token is also valid for other servers; request one for this server only',
    ],
    ['is from another issuer', { iss: 'https://other.example' }, 'The token is from another issuer'],
    ['has expired', { exp: seconds(-10) }, 'The token has expired'],
    ['has an expiry that is not a number', { exp: 'tomorrow' }, 'The token is invalid'],
    ['is not valid yet', { nbf: seconds(100) }, 'The token is not valid yet'],
    ['has no subject', { sub: undefined }, 'The token names no subject'],
    ['is bound to a key', { cnf: { jkt: 'x' } }, 'The token is bound to a key, so it is not a bearer token'],
    ['requires a DPoP proof', { token_type: 'DPoP' }, 'The token is bound to a key, so it is not a bearer token'],
    ['has the string "true" as active', { active: 'true' }, 'The token is invalid'],
    ['is not active', { active: false }, 'The token is invalid'],
    [
      'has too many scopes',
      { scope: 'x'.repeat(4_096), permissions: Array.from({ length: 42 }, (_, at) => `${at}`.padEnd(100, 'y')) },
      'The scopes of the token are longer than 8192 characters',
    ],
  ])('is refused when it %s', async (_why, more, message) => {
    const membersFor = (resource: string) => JSON.parse(JSON.stringify(more).replace('OURS', resource))
    await using s = await setting((_token, resource) => ({ ...active(resource), ...more, ...membersFor(resource) }))
    const { status, error } = await use(s.at.url, 'who', bearer('opaque'))
    expect([status, error?.message]).toEqual([401, message])
  })
})

describe('the introspection request', () => {
  it('carries the client credentials in the header', async () => {
    await using s = await setting((_token, resource) => active(resource), { clientId: 'my shop', clientSecret: 'a:b%ü' })
    await s.status('opaque')
    const [asked] = s.as.at('/introspect')
    expect(asked?.method).toBe('POST')
    expect(Buffer.from(asked?.headers.authorization?.slice(6) ?? '', 'base64').toString()).toBe('my+shop:a%3Ab%25%C3%BC')
    expect(asked?.body).toBe('token=opaque&token_type_hint=access_token')
    expect(asked?.target).toBe('/introspect')
  })

  it('or in the form', async () => {
    await using s = await setting((_token, resource) => active(resource), { clientAuth: 'post' })
    await s.status('opaque')
    const [asked] = s.as.at('/introspect')
    expect(asked?.headers.authorization).toBeUndefined()
    expect(asked?.body).toBe('token=opaque&token_type_hint=access_token&client_id=shop&client_secret=s3cret')
  })

  it('needs https', () => {
    const endpoint = 'http://auth.example/introspect'
    expect(() => introspection({ issuer: 'x', resource: 'x', endpoint, clientId: 'x', clientSecret: 'x' })).toThrow(/https/)
  })

  it.each<[string, () => Facts]>([
    ['an error', () => ({ status: 500 })],
    ['our own refusal', () => ({ status: 401 })],
    ['a redirect', () => ({ status: 307, headers: { location: '/elsewhere' } })],
    ['too much', () => ({ active: true, padding: 'x'.repeat(2 * 1024 * 1024) })],
    ['no JSON', () => ({ status: 200, body: 'active' })],
  ])('that is answered with %s decides nothing, and is not cached', async (_what, answer) => {
    let broken = true
    await using s = await setting((_token, resource) => (broken ? answer() : active(resource)))
    expect(await s.status('opaque')).toBe(503)
    broken = false
    expect(await s.status('opaque')).toBe(200)
    expect(s.as.at('/elsewhere')).toEqual([])
  })

  it('times out after 5 s', async () => {
    await using s = await setting(() => new Promise<never>(() => {}))
    const begun = Date.now()
    expect(await s.status('opaque')).toBe(503)
    expectWithin(Date.now() - begun, 8_000)
  })

  it('is sent for 64 tokens of one sender at once, and no more', async () => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    // No timeout: a busy machine may take longer than five seconds to send all the requests.
    const fetch: AuthFetch = (url, { signal: _, ...init }) => globalThis.fetch(url, init)
    await using s = await setting((_token, resource) => answered.then(() => active(resource)), { fetch })
    const statuses: number[] = []
    const flood = Array.from({ length: 100 }, async (_, n) => statuses.push(await s.status(`t${n}`)))
    await until(() => s.asked().length === 64 && statuses.length === 36)
    expect(new Set(statuses)).toEqual(new Set([503]))
    answer()
    await Promise.all(flood)
    expect(statuses.filter((status) => status === 200)).toHaveLength(64)
  })
})

describe('a flood of invented tokens', () => {
  const stranger = (at: number) => `6.6.6.${at}`
  /** An introspection that answers good tokens at once, and invented ones never. It counts those, and keeps no result for long. */
  function flooded() {
    let invented = 0
    let ahead = 0
    const authenticate = introspection({
      issuer: 'https://as.example',
      endpoint: 'https://as.example/introspect',
      clientId: 'shop',
      clientSecret: 's3cret',
      resource: 'https://shop.example/mcp',
      now: () => Date.now() + ahead,
      fetch: async (_, { body }) => {
        const isGood = new URLSearchParams(String(body)).get('token')?.startsWith('good')
        if (!isGood) return new Promise<never>(() => void invented++)
        return Response.json(active('https://shop.example/mcp', { iss: 'https://as.example' }))
      },
    })
    const send = async (token: string, remote: string) =>
      authenticate({ header: (name) => (name === 'authorization' ? `Bearer ${token}` : undefined), url: '/mcp', remote })
    return {
      send,
      later: () => (ahead += 31_000),
      async from(...remotes: string[]) {
        const before = invented
        for (const remote of remotes) for (let at = 0; at < 70; at++) void send(`invented-${remote}-${at}`, remote)
        await until(() => invented >= before + 64 * remotes.length)
      },
    }
  }

  it('from one sender refuses no token of others', async () => {
    const { send, from } = flooded()
    await from(stranger(1))
    expect(await send('good', '10.0.0.1')).toMatchObject({ id: expect.stringContaining('ana') })
    expect(await send('good-too', stranger(1))).toMatchObject({ denied: 'temporarily_unavailable' })
  })

  it('from many senders refuses no token that was good before', async () => {
    const { send, from, later } = flooded()
    await send('good', '10.0.0.1')
    await from(stranger(1), stranger(2))
    later()
    expect(await send('good', '10.0.0.1')).toMatchObject({ id: expect.stringContaining('ana') })
    expect(await send('good-but-new', '10.0.0.1')).toMatchObject({ denied: 'temporarily_unavailable' })
  })
})

describe('the cache of introspection results', () => {
  it('serves a token for half a minute, and merges simultaneous requests', async () => {
    let revoked = false
    await using s = await setting((_token, resource) => (revoked ? { active: false } : active(resource)))
    expect(await Promise.all([s.status('t'), s.status('t'), s.status('t')])).toEqual([200, 200, 200])
    revoked = true
    s.clock.ahead = 29_000
    expect(await s.status('t')).toBe(200)
    expect(s.asked()).toHaveLength(1)
    s.clock.ahead = 31_000
    expect(await s.status('t')).toBe(401)
  })

  it('never outlives the token', async () => {
    const ends = seconds(10)
    await using s = await setting((_token, resource) => active(resource, { exp: ends }), { cacheMs: 300_000 })
    expect(await s.status('t')).toBe(200)
    s.clock.ahead = 11_000
    expect(await s.status('t')).toBe(401)
    expect(s.asked()).toHaveLength(2)
  })

  it('keeps a result for at most five minutes, even if the options ask for more', async () => {
    await using s = await setting((_token, resource) => active(resource), { cacheMs: 24 * 3_600_000 })
    await s.status('t')
    s.clock.ahead = 301_000
    await s.status('t')
    expect(s.asked()).toHaveLength(2)
  })

  it('keeps a negative result for only five seconds, because a new token may not be replicated yet', async () => {
    let arrived = false
    await using s = await setting((_token, resource) => (arrived ? active(resource) : { active: false }))
    expect(await s.status('t')).toBe(401)
    arrived = true
    s.clock.ahead = 4_000
    expect(await s.status('t')).toBe(401)
    s.clock.ahead = 6_000
    expect(await s.status('t')).toBe(200)
    expect(s.asked()).toHaveLength(2)
  })

  it.each<[string, () => unknown]>([
    ['the clock of the machine is set back', () => vi.advanceTimersByTime(31_000).setSystemTime(Date.now() - 31_000)],
    ['the machine sleeps, and its monotonic clock with it', () => vi.setSystemTime(Date.now() + 31_000)],
  ])('expires in time although %s', async (_, wait) => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    await using s = await setting((_token, resource) => active(resource), { now: undefined as never })
    expect(await s.status('t')).toBe(200)
    wait()
    expect(await s.status('t')).toBe(200)
    expect(s.asked()).toHaveLength(2)
  })

  it('compares tokens exactly', async () => {
    await using s = await setting((token, resource) => (token === 'Good.token' ? active(resource) : { active: false }))
    expect(await s.status('Good.token')).toBe(200)
    for (const other of ['good.token', 'Good.toke', 'Good.tokens', 'Good.token=', 'Good.Token', '__proto__', 'constructor'])
      expect(await s.status(other)).toBe(401)
    expect(await s.status('Good.token')).toBe(200)
    expect(s.asked()).toHaveLength(8)
  })

  it('keeps valid tokens during a flood of invalid ones', async () => {
    const asked: string[] = []
    const fetch: AuthFetch = async (_url, { body }) => {
      const token = new URLSearchParams(String(body)).get('token') ?? ''
      asked.push(token)
      return Response.json(token === 'good' ? active('us') : { active: false })
    }
    const server = { issuer: 'https://auth.example', endpoint: 'https://auth.example/introspect' }
    const authenticate = introspection({ ...server, resource: 'us', clientId: 'shop', clientSecret: 's3cret', fetch })
    const show = (token: string) => authenticate({ header: () => `Bearer ${token}`, url: '/mcp' })
    expect(await show('good')).toMatchObject({ scopes: [] })
    for (let n = 0; n < 10_100; n += 50) await Promise.all(Array.from({ length: 50 }, (_, m) => show(`bad${n + m}`)))
    expect(await show('good')).toMatchObject({ scopes: [] })
    expect(asked.filter((token) => token === 'good')).toHaveLength(1)
    expect(asked).toHaveLength(10_101)
  })
})

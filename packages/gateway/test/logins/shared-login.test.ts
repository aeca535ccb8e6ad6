// One login for all callers of an upstream.
import { describe, expect, it } from 'vitest'
import { agree } from '../../../toolwire/test/client/oauth/authority.js'
import { defaultGuard } from '../../src/config/gateway-config.js'
import { ask, client, folder, started, storeIn, until, words } from '../support/running-gateway.js'
import { begun, loggedIn, redirectUri } from './consenting-person.js'
import { behindLogin, shopWithLogin } from './protected-shop.js'

const guard = { ...defaultGuard, approvals: false, rate: false } as const
const server = async (gateway: { port: number }) =>
  ((await ask(gateway, '/servers')).body.servers as Record<string, unknown>[])[0] ?? {}

describe('an upstream that requires a login', () => {
  it('shows the login command, and receives no further requests until a person has logged in', async () => {
    const shop = await shopWithLogin()
    const gateway = await started({ upstreams: [behindLogin(shop)], guard })
    expect(await server(gateway)).toMatchObject({
      state: 'needs login',
      why: 'shop needs a login: toolwire login shop',
      login: { server: 'shop', perUser: false, loggedIn: false, users: [] },
    })
    expect((await ask(gateway, '/status')).body).toMatchObject({
      status: 'degraded',
      troubles: ['server shop: shop needs a login: toolwire login shop'],
    })
    const { length } = shop.authorizationHeaders
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(shop.authorizationHeaders).toHaveLength(length)
    expect(shop.as.seen).toEqual([]) // no registration, and no other request
  })

  it("GW-007 is called with its own token after a login, never with a caller's credentials", async () => {
    const shop = await shopWithLogin()
    const callers = { loopback: false, apiKeys: true }
    const gateway = await started({
      upstreams: [behindLogin(shop)],
      guard,
      callers,
      apiKey: 'the-operators-own-key-Zr4mQ8vK2sXw6TnB9cLd',
    })
    const headers = { authorization: 'Bearer the-operators-own-key-Zr4mQ8vK2sXw6TnB9cLd' }
    expect(await loggedIn(gateway, { headers })).toMatchObject({ status: 200, body: { server: 'shop', loggedIn: true } })
    const caller = await client(gateway.url, { headers: { ...headers, cookie: 'session=mine' } })
    expect(words(await caller.call('shop__whoami'))).toBe('ana')
    expect(shop.authorizationHeaders.at(-1)).toMatch(/^Bearer access-ana-/)
    expect(JSON.stringify(shop.authorizationHeaders)).not.toContain('the-operators-own-key-Zr4mQ8vK2sXw6TnB9cLd')
    for (const [token] of shop.refreshers) expect(JSON.stringify(shop.authorizationHeaders)).not.toContain(token)
  })

  it('AUTHC-007 is requested by its own address, with PKCE, and a redirect to this machine', async () => {
    const shop = await shopWithLogin()
    const gateway = await started({ upstreams: [behindLogin(shop, { scopes: ['more'] })], guard })
    await loggedIn(gateway, { scopes: ['most'] })
    const [asked] = shop.as.authorizations()
    expect(Object.fromEntries(asked ?? [])).toMatchObject({
      resource: shop.url,
      redirect_uri: redirectUri,
      code_challenge_method: 'S256',
      scope: 'orders more most',
    })
    expect(shop.as.redemptions()[0]?.get('resource')).toBe(shop.url)
    expect(shop.as.registrations()).toMatchObject([{ client_name: 'Toolwire', redirect_uris: [redirectUri] }])
  })

  it('shows who has logged in, without a secret in outputs, the log or the data directory', async () => {
    const shop = await shopWithLogin()
    const dataDir = folder()
    const secret = 'a-secret-of-the-client'
    const upstream = behindLogin(shop, { clientId: 'us', clientSecret: secret })
    const gateway = await started({ upstreams: [upstream], guard, dataDir })
    await loggedIn(gateway)
    const shown = [
      await ask(gateway, '/status'),
      await ask(gateway, '/servers'),
      await ask(gateway, '/logins'),
      await ask(gateway, '/audit'),
    ]
    expect(shown[2]?.body.logins).toMatchObject([
      { server: 'shop', loggedIn: true, login: { issuer: shop.as.issuer, scopes: ['orders'] } },
    ])
    const text = JSON.stringify(shown) + gateway.log.join('\n')
    const { readdirSync, readFileSync } = await import('node:fs')
    const files = readdirSync(dataDir).map((name) => readFileSync(`${dataDir}/${name}`).toString('latin1'))
    for (const hidden of [secret, ...shop.good.keys(), ...shop.refreshers.keys()])
      for (const place of [text, ...files]) expect(place).not.toContain(hidden)
    expect((await ask(gateway, '/audit?tool=toolwire/login')).body.calls).toHaveLength(1)
  })

  it('is used again by the next process, under the same client registration', async () => {
    const shop = await shopWithLogin()
    const dataDir = folder()
    const first = await started({ upstreams: [behindLogin(shop)], guard, dataDir }, { store: await storeIn(dataDir) })
    await loggedIn(first)
    await first.close({ drainMs: 0 })
    shop.good.clear() // the old token expires
    const second = await started({ upstreams: [behindLogin(shop)], guard, dataDir }, { store: await storeIn(dataDir) })
    expect(words(await (await client(second.url)).call('shop__whoami'))).toBe('ana')
    expect(shop.as.registrations()).toHaveLength(1)
    expect([shop.refreshes(), shop.as.authorizations().length]).toEqual([1, 1])
  })

  it('is found if an older version has stored the login beside its tokens', async () => {
    const shop = await shopWithLogin()
    const dataDir = folder()
    const first = await started({ upstreams: [behindLogin(shop)], guard, dataDir }, { store: await storeIn(dataDir) })
    await loggedIn(first)
    await first.close({ drainMs: 0 })
    const store = await storeIn(dataDir)
    const [[key, sealed] = ['', '']] = store.logins.entries()
    const place = { server: 'shop', principal: 'gateway', name: 'toolwire login' }
    await store.vault.tokens('shop', 'gateway').set('toolwire login', store.vault.open(place, sealed))
    await store.logins.drop(key)
    await store.close()
    for (const _ of ['older', 'newer']) {
      const next = await started({ upstreams: [behindLogin(shop)], guard, dataDir }, { store: await storeIn(dataDir) })
      expect(words(await (await client(next.url)).call('shop__whoami'))).toBe('ana')
      await next.close({ drainMs: 0 })
    }
    const after = await storeIn(dataDir)
    expect([...(await after.vault.all('shop', 'gateway')).keys()]).not.toContain('toolwire login')
    await after.close()
    expect(shop.as.authorizations()).toHaveLength(1)
  })

  it('stays logged out after a logout', async () => {
    const shop = await shopWithLogin()
    const dataDir = folder()
    const gateway = await started({ upstreams: [behindLogin(shop)], guard, dataDir })
    await loggedIn(gateway)
    expect(await ask(gateway, '/servers/shop/logins', { method: 'DELETE' })).toMatchObject({
      status: 200,
      body: { loggedIn: false },
    })
    expect(await server(gateway)).toMatchObject({ state: 'needs login', login: { loggedIn: false } })
    expect((await ask(gateway, '/servers/shop/logins', { method: 'DELETE' })).status).toBe(404)
    await gateway.close({ drainMs: 0 })
    const again = await started({ upstreams: [behindLogin(shop)], guard, dataDir }, { store: await storeIn(dataDir) })
    expect(await server(again)).toMatchObject({ state: 'needs login' })
  })

  it('is called as the user of the last login', async () => {
    const shop = await shopWithLogin()
    const gateway = await started({ upstreams: [behindLogin(shop)], guard })
    await loggedIn(gateway)
    const caller = await client(gateway.url)
    expect(words(await caller.call('shop__whoami'))).toBe('ana')
    shop.who = 'bob'
    await loggedIn(gateway)
    expect(words(await caller.call('shop__whoami'))).toBe('bob')
  })
})

describe('a login that was ended', () => {
  const end = (gateway: { port: number }) => ask(gateway, '/servers/shop/logins', { method: 'DELETE' })

  it('has its tokens revoked with the client that received them, the refresh token first', async () => {
    const shop = await shopWithLogin({ revokes: true })
    const gateway = await started({ upstreams: [behindLogin(shop, { clientId: 'us' })], guard })
    await loggedIn(gateway)
    const [[refresh], [access]] = [[...shop.refreshers.keys()], [...shop.good.keys()]]
    expect((await end(gateway)).body).toEqual({ server: 'shop', loggedIn: false, revoked: true })
    expect(shop.as.revocations().map((form) => [form.get('token'), form.get('client_id')])).toEqual([
      [refresh, 'us'],
      [access, 'us'],
    ])
  })

  it('is forgotten at once, even if the revocation gets no answer', async () => {
    const shop = await shopWithLogin({ revokes: 'never' })
    const gateway = await started({ upstreams: [behindLogin(shop)], guard })
    await loggedIn(gateway)
    const answer = end(gateway)
    await until(async () => shop.as.revocations().length > 0)
    expect(await server(gateway)).toMatchObject({ state: 'needs login', login: { loggedIn: false } })
    const { status, body } = await answer
    expect([status, body]).toEqual([200, expect.objectContaining({ loggedIn: false, revoked: false })])
    expect(body.note).toMatch(/^The tokens were deleted here but not revoked, .* did not answer within/)
    for (const [token] of [...shop.good, ...shop.refreshers]) expect(JSON.stringify(body)).not.toContain(token)
  })

  it('reports that its tokens stay valid if the server cannot revoke them, or is no longer in the config', async () => {
    const shop = await shopWithLogin()
    const upstreams = [behindLogin(shop)]
    const gateway = await started({ upstreams, guard })
    await loggedIn(gateway)
    expect((await end(gateway)).body).toMatchObject({
      revoked: false,
      note: expect.stringContaining('does not support revocation'),
    })
    await loggedIn(gateway)
    await gateway.change({ ...gateway.config, upstreams: [] })
    expect((await end(gateway)).body).toMatchObject({ revoked: false, note: expect.stringContaining('no longer has a login') })
  })
})

describe('a refused token', () => {
  it('is renewed once for any number of calls in flight, and all of them succeed', async () => {
    const shop = await shopWithLogin()
    const gateway = await started({ upstreams: [behindLogin(shop)], guard })
    await loggedIn(gateway)
    const caller = await client(gateway.url)
    await caller.call('shop__whoami')
    shop.good.clear()
    const all = await Promise.all(Array.from({ length: 8 }, () => caller.call('shop__whoami')))
    expect(all.map(words)).toEqual(Array(8).fill('ana'))
    expect(shop.refreshes()).toBe(1)
  })

  it('is renewed before it expires', async () => {
    const shop = await shopWithLogin()
    // Only the first token expires soon. A slow request must not count against the second.
    let tokens = 0
    Object.defineProperty(shop, 'lifetime', { get: () => (tokens++ === 0 ? 1 : 3_600) })
    const gateway = await started({ upstreams: [behindLogin(shop)], guard })
    await loggedIn(gateway)
    const caller = await client(gateway.url)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const before = shop.authorizationHeaders.length
    expect(words(await caller.call('shop__whoami'))).toBe('ana')
    expect([shop.refreshes(), shop.authorizationHeaders.slice(before).length]).toEqual([1, 1])
  })

  it('is renewed once and never again if the server rejects the new one, too', async () => {
    const shop = await shopWithLogin()
    const gateway = await started({ upstreams: [behindLogin(shop)], guard })
    await loggedIn(gateway)
    const caller = await client(gateway.url)
    await caller.call('shop__whoami')
    shop.rejectsTokens = true
    await caller.call('shop__whoami').catch(() => undefined)
    const { length } = shop.authorizationHeaders
    for (let count = 0; count < 3; count++)
      expect(words((await caller.call('shop__whoami').catch(({ result }) => result)) as never)).toBe(
        'shop no longer accepts the login. Log in again: toolwire login shop',
      )
    expect(shop.refreshes()).toBe(1)
    expect(shop.authorizationHeaders).toHaveLength(length)
    expect(await server(gateway)).toMatchObject({
      state: 'needs login',
      why: 'shop no longer accepts the login. Log in again: toolwire login shop',
    })
    shop.rejectsTokens = false
    await loggedIn(gateway)
    expect(words(await caller.call('shop__whoami'))).toBe('ana')
  })

  it('AUTHC-025 ends the login if it cannot be renewed', async () => {
    const shop = await shopWithLogin()
    const gateway = await started({ upstreams: [behindLogin(shop)], guard })
    await loggedIn(gateway)
    shop.good.clear()
    shop.refreshers.clear()
    const caller = await client(gateway.url)
    expect(words((await caller.call('shop__whoami').catch(({ result }) => result)) as never)).toContain('toolwire login shop')
    await until(async () => (await server(gateway)).state === 'needs login')
    expect(shop.as.registrations()).toHaveLength(1)
  })
})

describe('a login', () => {
  it('GW-009 is finished once, with the state of its own request', async () => {
    const shop = await shopWithLogin()
    const gateway = await started({ upstreams: [behindLogin(shop)], guard })
    const one = await begun(gateway)
    const other = await begun(gateway)
    const address = await agree(new URL(one.body.page))
    const swapped = await ask(gateway, `/logins/${other.body.login}`, { body: { address } })
    expect(swapped).toMatchObject({
      status: 422,
      body: { error: expect.stringContaining('has another state than the authorization request') },
    })
    expect((await ask(gateway, `/logins/${one.body.login}`, { body: { address } })).status).toBe(200)
    const again = await ask(gateway, `/logins/${one.body.login}`, { body: { address } })
    expect(again).toMatchObject({ status: 404, body: { error: expect.stringContaining('This login is not pending') } })
    expect(shop.as.redemptions()).toHaveLength(1)
  })

  it('that fails leaves the previous one unchanged', async () => {
    const shop = await shopWithLogin()
    const gateway = await started({ upstreams: [behindLogin(shop)], guard })
    await loggedIn(gateway)
    const { body } = await begun(gateway)
    const refusal = `${redirectUri}?error=access_denied&state=${new URL(body.page).searchParams.get('state')}&iss=${shop.as.issuer}`
    const ended = await ask(gateway, `/logins/${body.login}`, { body: { address: refusal } })
    expect(ended).toMatchObject({ status: 422, body: { error: expect.stringContaining('access_denied') } })
    expect(words(await (await client(gateway.url)).call('shop__whoami'))).toBe('ana')
  })

  it('of a registered client uses the authorization server of its first login, and no other', async () => {
    const other = await shopWithLogin()
    const shop = await shopWithLogin()
    const login = { clientId: 'us', clientSecret: 'a-secret-of-the-client' }
    const gateway = await started({ upstreams: [behindLogin(shop, login)], guard })
    expect((await loggedIn(gateway)).status).toBe(200)
    expect(shop.as.registrations()).toEqual([])
    shop.issuer = other.as.issuer
    const { status, body } = await begun(gateway)
    expect([status, body.error]).toEqual([422, expect.stringContaining('The client credentials are for')])
    expect(other.as.redemptions()).toEqual([])
  })

  it.each([
    ['nowhere', {}, 404, 'There is no server "nowhere"'],
    ['notes', {}, 409, 'notes has no login'],
    ['shop', { user: 'ana' }, 409, 'share one login'],
    ['shop', { redirectUri: 'http://evil.example/' }, 422, 'redirectUri must be'],
  ])('to %s with %j is refused', async (id, more, status, message) => {
    const shop = await shopWithLogin()
    const notes = { ...behindLogin(shop), id: 'notes', target: { kind: 'http', url: shop.url, headers: {} } as const, lazy: true }
    const gateway = await started({ upstreams: [behindLogin(shop), notes], guard })
    const { body, ...answer } = await ask(gateway, `/servers/${id}/logins`, { body: { redirectUri, ...more } })
    expect([answer.status, body.error]).toEqual([status, expect.stringContaining(message)])
  })
})

// Unusual behavior of servers, people and disks.
import { server } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { agree } from '../../../toolwire/test/client/oauth/authority.js'
import { json } from '../../../toolwire/test/client/oauth/web.js'
import { expectWithin } from '../../../toolwire/test/soak.js'
import { defaultGuard } from '../../src/config/gateway-config.js'
import { openStore } from '../../src/store/open-store.js'
import { builtWorker } from '../support/build-program.js'
import { ask, client, eventually, folder, started, storeIn, until, words } from '../support/running-gateway.js'
import { listening } from '../support/upstream-fixture.js'
import { begun, loggedIn, redirectUri } from './consenting-person.js'
import { behindLogin, proofIn, type Shop, shopWithLogin } from './protected-shop.js'

const guard = { ...defaultGuard, approvals: false, rate: false } as const
const resultOf = async (call: Promise<unknown>) => words((await call.catch(({ result }) => result)) as never)
const state = async (gateway: { port: number }) =>
  ((await ask(gateway, '/servers')).body.servers as { state: string }[])[0]?.state

/** Holds refresh requests until they are released. */
function held(shop: Shop): () => void {
  let release: (() => void) | undefined
  shop.renewing = () =>
    new Promise((resolve) => {
      release = () => resolve(undefined)
    })
  return () => release?.()
}

describe('a server', () => {
  it('that wants more scopes for one tool can be logged in to again, and keeps its login until then', async () => {
    const shop = await shopWithLogin()
    const gateway = await started({ upstreams: [behindLogin(shop)], guard })
    await loggedIn(gateway)
    const caller = await client(gateway.url)
    const refusal = await resultOf(caller.call('shop__refund'))
    expect(refusal).toContain('toolwire login shop --scope orders --scope refunds')
    expect(words(await caller.call('shop__whoami'))).toBe('ana')
    expect(await state(gateway)).toBe('ready')
    await loggedIn(gateway, { scopes: ['orders', 'refunds'] })
    expect(words(await caller.call('shop__refund'))).toBe('paid back by ana')
  })

  it('that also accepts anonymous requests can be logged in to, and identifies the caller from then on', async () => {
    const shop = await shopWithLogin({ open: true })
    const gateway = await started({ upstreams: [behindLogin(shop)], guard })
    const caller = await client(gateway.url)
    expect(words(await caller.call('shop__whoami'))).toBe('nobody')
    await loggedIn(gateway)
    expect(words(await caller.call('shop__whoami'))).toBe('ana')
  })

  it('that wants signed requests (DPoP) gets them signed with the key of the login, in the next process too', async () => {
    const shop = await shopWithLogin({ dpop: true })
    const dataDir = folder()
    const first = await started({ upstreams: [behindLogin(shop)], guard, dataDir })
    await loggedIn(first)
    await first.close({ drainMs: 0 })
    const second = await started({ upstreams: [behindLogin(shop)], guard, dataDir }, { store: await storeIn(dataDir) })
    expect(words(await (await client(second.url)).call('shop__whoami'))).toBe('ana')
    expect(shop.authorizationHeaders.at(-1)).toMatch(/^DPoP access-ana-/)
    const { jwk } = proofIn(shop.as.at('/token')[0]?.headers.dpop)?.header ?? {}
    expect(proofIn(shop.proofs.at(-1))?.header.jwk).toEqual(jwk)
    shop.good.clear()
    shop.nonce = 'this one' // for the first request with the renewed token
    expect(words(await (await client(second.url)).call('shop__whoami'))).toBe('ana')
    expect(shop.refreshes()).toBe(1)
  })

  it('of the first revision is logged in to at its own metadata address', async () => {
    const shop = await shopWithLogin()
    const url = shop.url.replace('/mcp', '/sse')
    const auth = { perUser: false }
    const upstream = behindLogin(shop, {}, { target: { kind: 'sse', url, headers: {}, auth } })
    const gateway = await started({ upstreams: [upstream], guard })
    expect(await state(gateway)).toBe('needs login')
    expect((await loggedIn(gateway)).status).toBe(200)
    expect(words(await (await client(gateway.url)).call('shop__whoami'))).toBe('ana')
    expect(shop.as.authorizations()[0]?.get('resource')).toBe(url)
  })

  it('that rejects a token it has just issued is not logged in to, and is not asked repeatedly', async () => {
    const shop = await shopWithLogin()
    const gateway = await started({ upstreams: [behindLogin(shop)], guard })
    shop.rejectsTokens = true
    const { status, body } = await loggedIn(gateway)
    expect([status, body.error]).toEqual([422, expect.stringContaining('rejected the token')])
    expect([shop.refreshes(), shop.as.authorizations().length]).toEqual([0, 1])
    expect(await gateway.control.store.vault.holders()).toEqual([])
  })

  it('whose authorization server is down for a while needs no new login', async () => {
    const shop = await shopWithLogin()
    const gateway = await started({ upstreams: [behindLogin(shop)], guard })
    await loggedIn(gateway)
    const caller = await client(gateway.url)
    const [refresher = '', who = ''] = [...shop.refreshers].at(-1) ?? []
    shop.good.clear()
    shop.renewing = async () => {
      shop.refreshers.set(refresher, who) // the failed attempt has not used it up
      return json({ error: 'server_error' }, 503)
    }
    expect(await resultOf(caller.call('shop__whoami'))).not.toContain('toolwire login')
    expect(await state(gateway)).not.toBe('needs login')
    shop.renewing = async () => undefined
    await until(async () => (await resultOf(caller.call('shop__whoami'))) === 'ana')
  })
})

describe('a server without auth config', () => {
  it('explains which setting to write when the server demands authentication', async () => {
    const { url } = await shopWithLogin()
    const target = { kind: 'http', url, headers: {} } as const
    const gateway = await started({ upstreams: [behindLogin({ url }, {}, { target })], guard })
    const why = () => ((gateway.control.servers()[0] ?? {}) as { why?: string }).why
    expect(why()).toMatch(/HTTP 401.*\. If users log in to this server, set "auth": "oauth" for it under toolwire\.servers$/)
    const keyed = { ...target, headers: { 'x-api-key': 'wrong' } }
    await gateway.change({ ...gateway.config, upstreams: [behindLogin({ url }, {}, { target: keyed })] })
    await until(async () => why()?.includes('HTTP 401') === true && why()?.includes('oauth') === false)
    await gateway.change({ ...gateway.config, upstreams: [behindLogin({ url })] })
    await until(async () => why() === 'shop needs a login: toolwire login shop')
    expect((await loggedIn(gateway)).status).toBe(200)
    expect(await state(gateway)).toBe('ready')
  })
})

describe('each caller', () => {
  it('uses its own login for resources, prompts and completions as well', async () => {
    const shop = await shopWithLogin()
    const gateway = await started({ upstreams: [behindLogin(shop, { perUser: true })], guard })
    shop.who = 'gateway'
    await loggedIn(gateway)
    const caller = await client(gateway.url)
    await expect(caller.readResource('shop://me')).rejects.toThrow('toolwire login shop --user local')
    await expect(caller.getPrompt('shop__greet')).rejects.toThrow('toolwire login shop --user local')
    shop.who = 'bob'
    await loggedIn(gateway, { user: 'local' })
    expect(await caller.readResource('shop://me')).toMatchObject([{ text: 'bob' }])
    expect(JSON.stringify(await caller.getPrompt('shop__greet'))).toContain('Hello bob')
    const suggested = await caller.complete({ type: 'ref/prompt', name: 'shop__greet' }, { name: 'name', value: '' })
    expect(suggested.values).toEqual(['bob'])
  })
})

describe('a login that has ended', () => {
  it('is not restored by a renewal in flight', async () => {
    const shop = await shopWithLogin()
    const gateway = await started({ upstreams: [behindLogin(shop)], guard })
    await loggedIn(gateway)
    const release = held(shop)
    shop.good.clear()
    const call = resultOf((await client(gateway.url)).call('shop__whoami')).catch(String)
    await eventually(() => shop.refreshes() === 1)
    await ask(gateway, '/servers/shop/logins', { method: 'DELETE' })
    release()
    await call
    await eventually(() => shop.good.size === 1)
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(await gateway.control.store.vault.holders()).toEqual([])
  })

  it('does not affect the next one', async () => {
    const shop = await shopWithLogin()
    const dataDir = folder()
    const gateway = await started({ upstreams: [behindLogin(shop)], guard, dataDir })
    await loggedIn(gateway)
    const release = held(shop)
    shop.good.clear()
    const call = resultOf((await client(gateway.url)).call('shop__whoami')).catch(String)
    await eventually(() => shop.refreshes() === 1)
    shop.who = 'bob'
    await loggedIn(gateway)
    release()
    await call
    await eventually(() => [...shop.good.keys()].some((token) => token.includes('ana')))
    await new Promise((resolve) => setTimeout(resolve, 50))
    await gateway.close({ drainMs: 0 })
    const again = await started({ upstreams: [behindLogin(shop)], guard, dataDir }, { store: await storeIn(dataDir) })
    expect(words(await (await client(again.url)).call('shop__whoami'))).toBe('bob')
  })
})

describe('the gateway', () => {
  it('that has lost its vault key reports it, and accepts a new login', async () => {
    const shop = await shopWithLogin()
    const dataDir = folder()
    const keyed = async (digit: string) => openStore(dataDir, { vaultKey: digit.repeat(64), worker: await builtWorker() })
    const first = await started({ upstreams: [behindLogin(shop)], guard, dataDir }, { store: await keyed('a') })
    await loggedIn(first)
    await first.close({ drainMs: 0 })
    const second = await started({ upstreams: [behindLogin(shop)], guard, dataDir }, { store: await keyed('b') })
    expect(await state(second)).toBe('needs login')
    expect(second.log.join('\n')).toContain('was sealed with another key')
    await loggedIn(second)
    expect(words(await (await client(second.url)).call('shop__whoami'))).toBe('ana')
  })

  it.each([true, false])('allows only its managers to log in or out for others (perUser: %s)', async (perUser) => {
    const shop = await shopWithLogin()
    const callers = { loopback: false, apiKeys: true }
    const gateway = await started({
      upstreams: [behindLogin(shop, { perUser })],
      guard,
      callers,
      apiKey: 'the-operators-own-key-Zr4mQ8vK2sXw6TnB9cLd',
    })
    const headers = { authorization: 'Bearer the-operators-own-key-Zr4mQ8vK2sXw6TnB9cLd' }
    const { body } = await ask(gateway, '/keys', { body: { caller: 'ana' }, headers })
    const own = { authorization: `Bearer ${body.key}` }
    const asked = { body: { redirectUri }, headers: own }
    expect((await ask(gateway, '/servers/shop/logins', asked)).status).toBe(403)
    expect((await ask(gateway, '/servers/shop/logins', { method: 'DELETE', headers: own })).status).toBe(403)
    const other = { body: { redirectUri, user: 'bob' }, headers: own }
    expect((await ask(gateway, '/servers/shop/logins', other)).status).toBe(403)
    expect((await ask(gateway, '/servers/shop/logins?user=bob', { method: 'DELETE', headers: own })).status).toBe(403)
    for (const path of [
      '/servers',
      '/status',
      '/servers/shop/restart',
      '/logins/a/b',
      '/logins/../keys',
      '/logins/x\\..\\..\\keys',
    ])
      expect((await ask(gateway, path, { headers: own })).status).toBe(403)
    expect(shop.as.seen).toEqual([])
    const managers = await begun(gateway, { headers })
    const address = await agree(new URL(managers.body.page))
    const ended = await ask(gateway, `/logins/${managers.body.login}`, { body: { address }, headers: own })
    expect([ended.status, shop.as.redemptions()]).toEqual([404, []])
  })

  it('allows callers to log in and out for themselves, if each has a login', async () => {
    const shop = await shopWithLogin()
    const callers = { loopback: false, apiKeys: true }
    const both = [behindLogin(shop, { perUser: true }), { ...behindLogin(shop), id: 'other', lazy: true, prefix: 'other' }]
    const gateway = await started({ upstreams: both, guard, callers, apiKey: 'the-operators-own-key-Zr4mQ8vK2sXw6TnB9cLd' })
    const headers = { authorization: 'Bearer the-operators-own-key-Zr4mQ8vK2sXw6TnB9cLd' }
    await loggedIn(gateway, { headers, user: 'bob' })
    const { body } = await ask(gateway, '/keys', { body: { caller: 'ana' }, headers })
    const own = { authorization: `Bearer ${body.key}` }
    expect((await loggedIn(gateway, { user: 'ana', headers: own })).body).toMatchObject({ user: 'ana', loggedIn: true })
    const { logins } = (await ask(gateway, '/logins', { headers: own })).body
    expect(logins).toEqual([
      { server: 'shop', perUser: true, loggedIn: false, users: [expect.objectContaining({ user: 'ana' })] },
    ])
    const unknown = { body: { redirectUri, user: 'ana' }, headers: own }
    const [other, nowhere] = [
      await ask(gateway, '/servers/other/logins', unknown),
      await ask(gateway, '/servers/none/logins', unknown),
    ]
    expect([other.status, other.body.error]).toEqual([404, 'There is no server "other" in the config'])
    expect([nowhere.status, nowhere.body.error]).toEqual([404, 'There is no server "none" in the config'])
    const gone = await ask(gateway, '/servers/shop/logins?user=ana', { method: 'DELETE', headers: own })
    expect(gone).toMatchObject({ status: 200, body: { user: 'ana', loggedIn: false } })
  })

  it('limits how often callers start logins and fail them, and tells them when to try again', async () => {
    const shop = await shopWithLogin()
    const callers = { loopback: false, apiKeys: true }
    const apiKey = 'the-operators-own-key-Zr4mQ8vK2sXw6TnB9cLd'
    const gateway = await started({ upstreams: [behindLogin(shop, { perUser: true })], guard, callers, apiKey })
    const operator = { authorization: `Bearer ${apiKey}` }
    const keyOf = async (caller: string) => {
      const { body } = await ask(gateway, '/keys', { body: { caller }, headers: operator })
      return { authorization: `Bearer ${body.key}` }
    }
    const fail = async (user: string, headers: Record<string, string>) => {
      const { status, body } = await begun(gateway, { user, headers })
      if (status !== 201) return status
      const address = `${redirectUri}?error=access_denied`
      return (await ask(gateway, `/logins/${body.login}`, { body: { address }, headers })).status
    }
    const [eve, ana] = [await keyOf('eve'), await keyOf('ana')]
    for (let number = 0; number < 10; number++) expect(await fail('eve', eve)).toBe(422)
    const registered = shop.as.at('/register').length
    const body = JSON.stringify({ redirectUri, user: 'eve' })
    const refused = await fetch(`http://127.0.0.1:${gateway.port}/api/v1/servers/shop/logins`, {
      method: 'POST',
      headers: { ...eve, 'content-type': 'application/json' },
      body,
    })
    expect([refused.status, shop.as.at('/register').length]).toEqual([429, registered])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.json()).toMatchObject({
      error: expect.stringMatching(/^You have started more than 10 logins a minute\. Try again in \d s$/),
      retryAfterMs: expect.any(Number),
    })
    expect(await fail('ana', ana)).toBe(422)
    for (let number = 0; number < 12; number++) expect(await fail('eve', operator)).toBe(422)
  })

  it('frees the slots of logins that failed to start', async () => {
    const { url } = await listening(server({ name: 'open', version: '1.0.0' }), { authenticate: () => undefined })
    const gateway = await started({ upstreams: [behindLogin({ url })], guard })
    for (let number = 0; number < 17; number++) expect((await begun(gateway)).body.error).not.toContain('pending already')
  })

  it('limits each caller to half of the places that others leave for open logins, and closes without waiting for them', async () => {
    const shop = await shopWithLogin()
    const gateway = await started({ upstreams: [behindLogin(shop)], guard })
    const all = await Promise.all(Array.from({ length: 20 }, () => begun(gateway)))
    expect(all.map(({ status }) => status).toSorted()).toEqual([...Array(16).fill(201), ...Array(4).fill(422)])
    const headersOf = async (caller: string) => {
      const { body } = await ask(gateway, '/keys', { body: { caller, scopes: ['toolwire:admin'] } })
      return { authorization: `Bearer ${body.key}` }
    }
    for (const [caller, many] of Object.entries({ ana: 8, bob: 4, cy: 2, dan: 1, eli: 1, flo: 0 })) {
      const headers = await headersOf(caller)
      for (let number = 0; number < many; number++) expect((await begun(gateway, { headers })).status).toBe(201)
      const { error } = (await begun(gateway, { headers })).body
      expect(error).toContain(`Too many logins are pending already, ${many} of them yours`)
    }
    const first = all.find(({ status }) => status === 201)?.body
    const address = await agree(new URL(first?.page ?? ''))
    expect((await ask(gateway, `/logins/${first?.login}`, { body: { address } })).status).toBe(200)
    expect((await begun(gateway)).body.error).toContain('Too many logins are pending already, 15 of them yours')
    expect((await begun(gateway, { headers: await headersOf('flo') })).status).toBe(201)
    const before = performance.now()
    await gateway.close({ drainMs: 0 })
    expectWithin(performance.now() - before, 5_000)
  })
})

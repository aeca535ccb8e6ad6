// Logins of callers with a client id that the operator registered once. A third party may remember an earlier consent, so an
// attacker could make a person finish the attacker's login. The gateway never redirects; each caller starts and finishes its own login.
import { describe, expect, it } from 'vitest'
import { agree } from '../../../toolwire/test/client/oauth/authority.js'
import { defaultGuard } from '../../src/config/gateway-config.js'
import { ask, started } from '../support/running-gateway.js'
import { begun, redirectUri } from './consenting-person.js'
import { behindLogin, shopWithLogin } from './protected-shop.js'

const guard = { ...defaultGuard, approvals: false, rate: false } as const
const operator = { authorization: 'Bearer the-operators-own-key-Zr4mQ8vK2sXw6TnB9cLd' }
const registered = { clientId: 'the-one-client', clientSecret: 'a-secret-of-the-client' }

async function open() {
  const shop = await shopWithLogin()
  const callers = { loopback: false, apiKeys: true }
  const upstreams = [behindLogin(shop, { perUser: true, ...registered })]
  const gateway = await started({ upstreams, guard, callers, apiKey: 'the-operators-own-key-Zr4mQ8vK2sXw6TnB9cLd' })
  const keyOf = async (caller: string) => {
    const { body } = await ask(gateway, '/keys', { body: { caller }, headers: operator })
    return { authorization: `Bearer ${body.key}` }
  }
  const users = async () => {
    const { logins } = (await ask(gateway, '/logins', { headers: operator })).body as { logins: { users: { user: string }[] }[] }
    return logins.flatMap((one) => one.users.map(({ user }) => user))
  }
  return { shop, gateway, keyOf, users }
}

describe('a login with the client id of the gateway', () => {
  it('GW-008 belongs to one caller: it shows server, issuer and scopes first, and no other caller can start it', async () => {
    const { gateway, keyOf } = await open()
    const [ana, eve] = [await keyOf('ana'), await keyOf('eve')]
    const own = await begun(gateway, { user: 'ana', headers: ana })
    expect(own).toMatchObject({
      status: 201,
      body: { server: 'shop', user: 'ana', issuer: expect.any(String), scopes: ['orders'] },
    })
    const page = new URL(own.body.page)
    expect(page.searchParams.get('client_id')).toBe('the-one-client')
    expect(page.searchParams.get('redirect_uri')).toBe(redirectUri)
    expect((await begun(gateway, { user: 'ana', headers: eve })).status).toBe(403)
    expect((await begun(gateway, { headers: eve })).status).toBe(403)
    expect((await ask(gateway, '/servers/shop/logins', { body: { redirectUri, user: 'ana' }, bare: true })).status).toBe(401)
  })

  it('GW-008 ELIC-019 is finished only by its owner: an answer that another person was tricked into giving is rejected', async () => {
    const { gateway, keyOf, users } = await open()
    const [ana, eve] = [await keyOf('ana'), await keyOf('eve')]
    const trap = await begun(gateway, { user: 'eve', headers: eve })
    // Ana opens the page of the login that Eve has started, and the third party remembers Ana's earlier consent.
    const address = await agree(new URL(trap.body.page))
    const stolen = await ask(gateway, `/logins/${trap.body.login}`, { body: { address }, headers: ana })
    expect(stolen.status).toBe(404)
    const mine = await begun(gateway, { user: 'ana', headers: ana })
    expect((await ask(gateway, `/logins/${mine.body.login}`, { body: { address }, headers: ana })).status).toBe(422)
    expect(await users()).toEqual([])
  })

  it.each([
    ['a page of another site', { origin: 'https://evil.example' }],
    ['a cross-site link', { 'sec-fetch-site': 'cross-site' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a form of plain text', { 'content-type': 'text/plain' }],
  ])('GW-008 is not started by %s, with any key', async (_, headers) => {
    const { gateway, shop, keyOf } = await open()
    const before = shop.as.seen.length
    const refused = await begun(gateway, {
      user: 'ana',
      headers: { ...(await keyOf('ana')), ...headers } as Record<string, string>,
    })
    expect(refused.status).toBeGreaterThanOrEqual(400)
    expect(refused.status).toBeLessThan(500)
    expect(shop.as.seen).toHaveLength(before)
  })

  it.each([
    'http://evil.example/callback',
    'http://127.0.0.1.evil.example/',
    'javascript:alert(1)',
  ])('GW-008 GW-009 never returns to %s', async (elsewhere) => {
    const { gateway, keyOf } = await open()
    const body = { redirectUri: elsewhere, user: 'ana' }
    expect((await ask(gateway, '/servers/shop/logins', { body, headers: await keyOf('ana') })).status).toBe(422)
  })

  it('GW-008 has no page on the gateway that could be framed, and no redirect', async () => {
    const { gateway } = await open()
    for (const path of ['/authorize', '/oauth/authorize', '/register', '/token', '/callback', '/api/v1/servers/shop/logins']) {
      const response = await fetch(
        `http://127.0.0.1:${gateway.port}${path}?client_id=the-one-client&redirect_uri=https://evil.example`,
        {
          redirect: 'manual',
          headers: operator,
        },
      )
      expect([path, response.status >= 400, response.headers.get('location')]).toEqual([path, true, null])
    }
  })
})

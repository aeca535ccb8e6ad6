// Each caller has a login of its own at the upstream.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultGuard } from '../../src/config/gateway-config.js'
import { ask, client, folder, started, words } from '../support/running-gateway.js'
import { loggedIn, redirectUri } from './consenting-person.js'
import { behindLogin, type Shop, type ShopOptions, shopWithLogin } from './protected-shop.js'

const guard = { ...defaultGuard, approvals: false, rate: false } as const
const headers = { authorization: 'Bearer the-operators-own-key-Zr4mQ8vK2sXw6TnB9cLd' }
const resultOf = (call: Promise<unknown>) => call.catch(({ result }) => result) as Promise<{ content: { type: string }[] }>

/** A shop with a login of the gateway itself, and callers with keys. */
async function open(options: ShopOptions = {}) {
  const shop = await shopWithLogin(options)
  const callers = { loopback: false, apiKeys: true }
  const upstreams = [behindLogin(shop, { perUser: true })]
  const gateway = await started({ upstreams, guard, callers, apiKey: 'the-operators-own-key-Zr4mQ8vK2sXw6TnB9cLd' })
  shop.who = 'gateway'
  await loggedIn(gateway, { headers })
  const keyOf = async (caller: string) => {
    const { body } = await ask(gateway, '/keys', { body: { caller }, headers })
    return { authorization: `Bearer ${body.key}` }
  }
  const callerOf = async (caller: string) => client(gateway.url, { headers: await keyOf(caller) })
  return { shop, gateway, keyOf, callerOf }
}

async function logIn({ shop, gateway }: { shop: Shop; gateway: { port: number } }, user: string, as = user) {
  shop.who = as
  expect(await loggedIn(gateway, { user, headers })).toMatchObject({
    status: 200,
    body: { server: 'shop', user, loggedIn: true },
  })
}

describe('a caller', () => {
  it('that has not logged in receives the login command, and no request is sent', async () => {
    const { shop, callerOf } = await open()
    const eve = await callerOf('eve')
    expect((await eve.listTools()).map(({ name }) => name)).toEqual(['shop__refund', 'shop__whoami'])
    const before = shop.authorizationHeaders.length
    const result = await resultOf(eve.call('shop__whoami'))
    expect(words(result)).toBe('eve has not logged in to shop: toolwire login shop --user eve')
    expect(result).toMatchObject({ isError: true })
    expect(shop.authorizationHeaders).toHaveLength(before)
  })

  it('whose id contains shell characters receives a quoted command', async () => {
    const { callerOf } = await open()
    const odd = await callerOf("$(reboot) o'neill")
    expect(words(await resultOf(odd.call('shop__whoami')))).toContain("toolwire login shop --user '$(reboot) o'\\''neill'")
  })

  it.each([
    ['2025-06-18', 'sessions'],
    ['2026-07-28', 'none'],
  ])('acts at the upstream as its own user, never as another one (%s)', async (revision) => {
    const here = await open({ revisions: [revision] })
    const { shop, callerOf } = here
    await logIn(here, 'ana')
    await logIn(here, 'bob', 'robert')
    const [ana, bob] = [await callerOf('ana'), await callerOf('bob')]
    const all = await Promise.all(Array.from({ length: 6 }, (_, at) => (at % 2 ? bob : ana).call('shop__whoami')))
    expect(all.map(words)).toEqual(['ana', 'robert', 'ana', 'robert', 'ana', 'robert'])
    expect(shop.authorizationHeaders.join()).not.toContain('the-operators-own-key-Zr4mQ8vK2sXw6TnB9cLd')
    expect(words(await resultOf((await callerOf('eve')).call('shop__whoami')))).toContain('eve has not logged in')
  })

  it.each(['2025-11-25', '2026-07-28'])('cannot subscribe to a resource, and reads it as its own user (%s)', async (revision) => {
    const here = await open()
    await logIn(here, 'ana')
    const warnings: string[] = []
    const options = { headers: await here.keyOf('ana'), revision, onWarning: (text: string) => warnings.push(text) }
    const ana = await client(here.gateway.url, options)
    const refusal = await ana.watch('shop://me').then(
      () => warnings.join(),
      ({ message }) => message,
    )
    expect(refusal).toContain(revision === '2025-11-25' ? 'cannot be subscribed to' : 'does not announce resourceSubscriptions')
    expect(await ana.readResource('shop://me')).toMatchObject([{ text: 'ana' }])
  })

  it('that logs out has no user from then on, and the others keep theirs', async () => {
    const here = await open()
    await logIn(here, 'ana')
    await logIn(here, 'bob')
    const [ana, bob] = [await here.callerOf('ana'), await here.callerOf('bob')]
    expect(words(await ana.call('shop__whoami'))).toBe('ana')
    await ask(here.gateway, '/servers/shop/logins?user=ana', { method: 'DELETE', headers })
    expect(words(await resultOf(ana.call('shop__whoami')))).toContain('toolwire login shop --user ana')
    expect(words(await bob.call('shop__whoami'))).toBe('bob')
    await logIn(here, 'ana', 'anabel')
    expect(words(await ana.call('shop__whoami'))).toBe('anabel')
  })

  it('has its own token renewed, once, and is the only one to log in again if that fails', async () => {
    const here = await open()
    const { shop } = here
    await logIn(here, 'ana')
    await logIn(here, 'bob')
    const [ana, bob] = [await here.callerOf('ana'), await here.callerOf('bob')]
    const tokens = [...shop.good.keys()]
    for (const token of tokens.filter((one) => one.includes('ana'))) shop.good.delete(token)
    expect((await Promise.all([1, 2, 3].map(() => ana.call('shop__whoami')))).map(words)).toEqual(['ana', 'ana', 'ana'])
    expect(shop.refreshes()).toBe(1)
    for (const token of [...shop.good.keys()].filter((one) => one.includes('ana'))) shop.good.delete(token)
    for (const token of [...shop.refreshers.keys()].filter((one) => one.includes('ana'))) shop.refreshers.delete(token)
    expect(words(await resultOf(ana.call('shop__whoami')))).toBe(
      'shop no longer accepts the login of ana. Log in again: toolwire login shop --user ana',
    )
    expect(words(await bob.call('shop__whoami'))).toBe('bob')
    expect((await ask(here.gateway, '/servers', { headers })).body.servers).toMatchObject([{ state: 'ready' }])
  })

  it('gets a new token even if others have just got theirs', async () => {
    const here = await open()
    const users = ['ana', 'bob', 'cy', 'dan', 'eli', 'flo']
    for (const user of users) await logIn(here, user)
    const callers = await Promise.all(users.map(here.callerOf))
    const callAll = async () => (await Promise.all(callers.map((caller) => caller.call('shop__whoami')))).map(words)
    expect(await callAll()).toEqual(users)
    for (const round of [1, 2]) {
      here.shop.good.clear()
      expect(await callAll()).toEqual(users)
      expect(here.shop.refreshes()).toBe(round * users.length)
    }
  })

  it('that logs out has its own tokens revoked, and no others', async () => {
    const here = await open({ revokes: true })
    await logIn(here, 'ana')
    await logIn(here, 'bob')
    const held = () => [...here.shop.good.keys(), ...here.shop.refreshers.keys()].map((token) => token.split('-')[1]).sort()
    expect(held()).toEqual(['ana', 'ana', 'bob', 'bob', 'gateway', 'gateway'])
    const answer = await ask(here.gateway, '/servers/shop/logins?user=ana', { method: 'DELETE', headers })
    expect(answer.body).toEqual({ server: 'shop', user: 'ana', loggedIn: false, revoked: true })
    expect(held()).toEqual(['bob', 'bob', 'gateway', 'gateway'])
  })

  it('ELIC-020 never receives the tokens of its login, and cannot authenticate with one', async () => {
    const here = await open()
    const { shop, gateway } = here
    await logIn(here, 'ana')
    const tokens = new Set<string>()
    const note = () => [...shop.good.keys(), ...shop.refreshers.keys()].forEach((token) => void tokens.add(token))
    note()
    const own = await here.keyOf('ana')
    const ana = await client(gateway.url, { headers: own })
    const answers: unknown[] = [
      await ana.listTools(),
      await ana.call('shop__whoami'),
      await ana.readResource('shop://me'),
      await ana.getPrompt('shop__greet', { name: 'you' }),
      await ana.complete({ type: 'ref/prompt', name: 'shop__greet' }, { name: 'name', value: '' }),
    ]
    shop.good.clear()
    answers.push(await ana.call('shop__whoami'))
    note()
    shop.good.clear()
    shop.refreshers.clear()
    answers.push(await resultOf(ana.call('shop__whoami')))
    for (const path of ['/logins', '/audit/export']) {
      const response = await fetch(`http://127.0.0.1:${gateway.port}/api/v1${path}`, {
        headers: path === '/logins' ? own : headers,
      })
      answers.push(await response.text())
    }
    const output = JSON.stringify(answers) + gateway.log.join()
    expect(output).toContain('Hello ana')
    expect(tokens.size).toBeGreaterThanOrEqual(6)
    for (const token of tokens) {
      expect(output).not.toContain(token)
      const stranger = await fetch(gateway.url, { method: 'POST', headers: { authorization: `Bearer ${token}` } })
      expect(stranger.status).toBe(401)
    }
  })

  it('is at a server that the caller may use: others look absent, except to end a login there', async () => {
    const shop = await shopWithLogin()
    const policy = join(folder(), 'policy.yaml')
    writeFileSync(policy, 'rules:\n  - { name: not ana, when: { server: shop, caller: ana }, decision: deny }\n')
    const apiKey = 'the-operators-own-key-Zr4mQ8vK2sXw6TnB9cLd'
    const other = { ...behindLogin(shop, { perUser: true }), id: 'other', prefix: 'other' }
    const gateway = await started({
      upstreams: [behindLogin(shop, { perUser: true }), other],
      sets: { own: ['shop__*'], rest: ['other__*'] },
      callers: { loopback: false, apiKeys: true },
      ...{ guard, policy, apiKey },
    })
    await loggedIn(gateway, { headers })
    const keyOf = async (caller: string, scopes: readonly string[] = []) => {
      const { body } = await ask(gateway, '/keys', { body: { caller, scopes }, headers })
      return { authorization: `Bearer ${body.key}` }
    }
    const seenBy = async (key: Record<string, string>) =>
      ((await ask(gateway, '/logins', { headers: key })).body.logins as { server: string }[]).map(({ server }) => server)
    const starts = async (server: string, user: string, key: Record<string, string>) => {
      const { status, body } = await ask(gateway, `/servers/${server}/logins`, { body: { redirectUri, user }, headers: key })
      return status === 201 ? status : [status, body.error?.replaceAll(server, 'NAME')]
    }
    const [eve, ana, own] = [await keyOf('eve'), await keyOf('ana'), await keyOf('own', ['toolwire:set:own'])]
    // Its tools are in the set once the gateway has read them.
    await expect.poll(() => seenBy(own)).toEqual(['shop'])
    expect(await seenBy(eve)).toEqual(['shop', 'other'])
    expect(await seenBy(ana)).toEqual(['other'])
    expect(await starts('shop', 'ana', ana)).toEqual(await starts('absent', 'ana', ana))
    expect(await starts('other', 'own', own)).toEqual(await starts('absent', 'own', own))
    expect(await starts('other', 'ana', ana)).toBe(201)
    await loggedIn(gateway, { user: 'ana', headers })
    expect(await seenBy(ana)).toEqual(['shop', 'other'])
    expect((await ask(gateway, '/servers/shop/logins?user=ana', { method: 'DELETE', headers: ana })).status).toBe(200)
    expect(await seenBy(ana)).toEqual(['other'])
  })

  it('is shown to the operator only by its id', async () => {
    const here = await open()
    await logIn(here, 'ana')
    const { body } = await ask(here.gateway, '/logins', { headers })
    expect(body.logins).toMatchObject([
      { server: 'shop', perUser: true, loggedIn: true, users: [{ user: 'ana', issuer: here.shop.as.issuer }] },
    ])
    for (const token of [...here.shop.good.keys(), ...here.shop.refreshers.keys()])
      expect(JSON.stringify(body)).not.toContain(token)
  })
})

// Two replicas on one database: logins started, used, renewed and ended at either one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agree } from '../../../toolwire/test/client/oauth/authority.js'
import { type PostgresServer, postgresFound, postgresServer } from '../../../toolwire/test/postgres-server.js'
import { defaultGuard } from '../../src/config/gateway-config.js'
import { begun, loggedIn } from '../logins/consenting-person.js'
import { behindLogin, type Shop, shopWithLogin } from '../logins/protected-shop.js'
import { newPostgresStore } from '../support/postgres-stores.js'
import { ask, client, eventually, started, words } from '../support/running-gateway.js'

const guard = { ...defaultGuard, approvals: false, rate: false } as const

describe.skipIf(!postgresFound)('a login that replicas share', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await postgresServer()
  })
  afterAll(() => server.close())

  async function bothOf(shop: Shop, { perUser = false } = {}) {
    const url = await server.database()
    const open = async () =>
      started({ upstreams: [behindLogin(shop, { perUser })], guard }, { store: await newPostgresStore(url) })
    const [one, two] = [await open(), await open()]
    return { one, two, callers: [await client(one.url), await client(two.url)] as const }
  }

  const whoAt = (caller: Awaited<ReturnType<typeof client>>): Promise<string> =>
    caller.call('shop__whoami').then(words, (thrown) => (thrown.result ? words(thrown.result) : String(thrown)))

  /** A shop with a login that one replica made and both use. */
  async function bothLoggedIn() {
    const shop = await shopWithLogin()
    const both = await bothOf(shop)
    expect((await loggedIn(both.one)).status).toBe(200)
    for (const caller of both.callers) await expect.poll(() => whoAt(caller)).toBe('ana')
    return { shop, ...both }
  }

  const presented = ({ as }: Shop) => as.redemptions().flatMap((form) => form.get('refresh_token') ?? [])

  it('is renewed by them in turn, each with the token that the other one got', async () => {
    const { shop, callers } = await bothLoggedIn()
    for (const at of [0, 1, 0] as const) {
      shop.good.clear()
      expect(words(await callers[at].call('shop__whoami'))).toBe('ana')
    }
    const tokens = presented(shop)
    expect(tokens).toHaveLength(3)
    expect(new Set(tokens).size).toBe(3)
  })

  it('is renewed once if both notice the expiry at the same moment', async () => {
    const { shop, callers } = await bothLoggedIn()
    shop.renewing = () => new Promise((resolve) => setTimeout(resolve, 500, undefined))
    shop.good.clear()
    const answers = await Promise.all(callers.map((caller) => caller.call('shop__whoami')))
    expect(answers.map(words)).toEqual(['ana', 'ana'])
    expect(presented(shop)).toHaveLength(1)
  })

  it('that was made at one serves calls at the other, and so does the next login', async () => {
    const { shop, two, callers } = await bothLoggedIn()
    expect((await ask(two, '/logins')).body.logins).toMatchObject([{ server: 'shop', loggedIn: true }])
    shop.who = 'bob'
    expect((await loggedIn(two)).status).toBe(200)
    for (const caller of callers) await expect.poll(() => whoAt(caller)).toBe('bob')
  })

  it('that was started at one is finished at the other, once, and only by its owner', async () => {
    const shop = await shopWithLogin()
    const { one, two, callers } = await bothOf(shop)
    const { body } = await begun(one)
    const address = await agree(new URL(body.page))
    const { key } = (await ask(two, '/keys', { body: { caller: 'eve', scopes: ['toolwire:admin'] } })).body
    const finish = (headers = {}) => ask(two, `/logins/${body.login}`, { body: { address }, headers })
    expect((await finish({ authorization: `Bearer ${key}` })).status).toBe(404)
    expect(shop.as.redemptions()).toEqual([])
    expect(await finish()).toMatchObject({ status: 200, body: { server: 'shop', login: body.login, loggedIn: true } })
    expect((await ask(two, '/logins')).body.logins).toMatchObject([{ server: 'shop', loggedIn: true }])
    expect((await finish()).status).toBe(404)
    for (const caller of callers) await expect.poll(() => whoAt(caller)).toBe('ana')
  })

  it('that fails at one replica fails at the other for the same reason', async () => {
    const shop = await shopWithLogin()
    const { one, two } = await bothOf(shop)
    const { body } = await begun(one)
    shop.rejectsTokens = true
    const failed = await ask(two, `/logins/${body.login}`, { body: { address: await agree(new URL(body.page)) } })
    expect([failed.status, failed.body.error]).toEqual([422, expect.stringContaining('rejected the token')])
  })

  it('is no longer pending after its replica has ended', async () => {
    const shop = await shopWithLogin()
    const { one, two } = await bothOf(shop)
    const { body } = await begun(one)
    await one.close({ drainMs: 0, delayMs: 0 })
    const gone = await ask(two, `/logins/${body.login}`, { body: { address: await agree(new URL(body.page)) } })
    expect([gone.status, gone.body.error]).toEqual([404, expect.stringContaining('Start another login')])
    expect((await loggedIn(two)).status).toBe(200)
  })

  it('of a caller serves this caller at both replicas, and ends at both with its connections', async () => {
    const shop = await shopWithLogin({ revisions: ['2025-06-18'] })
    const { one, two, callers } = await bothOf(shop, { perUser: true })
    shop.who = 'gateway'
    await loggedIn(one)
    shop.who = 'bob'
    expect((await loggedIn(one, { user: 'local' })).status).toBe(200)
    for (const caller of callers) await expect.poll(() => whoAt(caller)).toBe('bob')
    expect((await ask(one, '/servers/shop/logins?user=local', { method: 'DELETE' })).status).toBe(200)
    for (const caller of callers) await expect.poll(() => whoAt(caller)).toContain('local has not logged in to shop')
    const before = shop.authorizationHeaders.length
    for (const caller of callers) await whoAt(caller)
    expect(shop.authorizationHeaders).toHaveLength(before)
    expect(await two.control.store.vault.holders()).toEqual([{ server: 'shop', principal: 'gateway' }])
  })

  it('is not restored by a replica that is renewing it when it ends', async () => {
    const { shop, one, two, callers } = await bothLoggedIn()
    let release = () => undefined as unknown
    shop.renewing = () =>
      new Promise((resolve) => {
        release = () => resolve(undefined)
      })
    shop.good.clear()
    const call = whoAt(callers[1])
    await eventually(() => shop.refreshes() === 1)
    const end = ask(one, '/servers/shop/logins', { method: 'DELETE' })
    const { holders } = two.control.store.vault
    for (let tries = 0; tries < 50 && (await holders()).length > 0; tries++)
      await new Promise((resolve) => setTimeout(resolve, 20))
    release()
    expect((await end).status).toBe(200)
    await call
    shop.good.clear()
    await expect.poll(() => whoAt(callers[1])).toContain('Unknown tool: shop__whoami')
    expect(await holders()).toEqual([])
    expect(shop.refreshes()).toBe(1)
  })
})

// Two replicas on one database, and logins that are begun, used, renewed and ended at either of them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../toolwire/test/postgres-server.js'
import { defaultGuard } from '../../src/config/gateway-config.js'
import { loggedIn } from '../logins/consenting-person.js'
import { behindLogin, type Shop, type ShopOptions, shopWithLogin } from '../logins/protected-shop.js'
import { newPostgresStore } from '../support/postgres-stores.js'
import { client, started, words } from '../support/running-gateway.js'

const guard = { ...defaultGuard, approvals: false, rate: false } as const

describe.skipIf(!postgresFound)('a login that replicas share', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await postgresServer()
  })
  afterAll(() => server.close())

  async function replicasOf(shop: Shop, { perUser = false } = {}) {
    const url = await server.database()
    return async () => started({ upstreams: [behindLogin(shop, { perUser })], guard }, { store: await newPostgresStore(url) })
  }

  /** A shop that the first replica has logged in to before the second one started. */
  async function bothLoggedIn(options: ShopOptions = {}) {
    const shop = await shopWithLogin(options)
    const open = await replicasOf(shop)
    const one = await open()
    expect((await loggedIn(one)).status).toBe(200)
    const two = await open()
    return { shop, one, two, callers: [await client(one.url), await client(two.url)] as const }
  }

  const presented = ({ as }: Shop) => as.redemptions().flatMap((form) => form.get('refresh_token') ?? [])

  it('is renewed by them in turn, each with the token that the other one has got', async () => {
    const { shop, callers } = await bothLoggedIn()
    for (const at of [0, 1, 0] as const) {
      shop.good.clear()
      expect(words(await callers[at].call('shop__whoami'))).toBe('ana')
    }
    const tokens = presented(shop)
    expect(tokens).toHaveLength(3)
    expect(new Set(tokens).size).toBe(3)
  })

  it('is renewed once when both find out at the same moment', async () => {
    const { shop, callers } = await bothLoggedIn()
    shop.renewing = () => new Promise((resolve) => setTimeout(resolve, 500, undefined))
    shop.good.clear()
    const answers = await Promise.all(callers.map((caller) => caller.call('shop__whoami')))
    expect(answers.map(words)).toEqual(['ana', 'ana'])
    expect(presented(shop)).toHaveLength(1)
  })
})

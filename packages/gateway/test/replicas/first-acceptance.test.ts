// Gateways that share a store and see a new server at the same time, or while the store is away.
import { server as app, tool } from 'toolwire'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../toolwire/test/postgres-server.js'
import { inDatabase, newPostgresStore } from '../support/postgres-stores.js'
import { ask, child, client, http, program, type Started, started, until, upstreamConfig } from '../support/running-gateway.js'
import { listening } from '../support/upstream-fixture.js'

const names = Array.from({ length: 500 }, (_, index) => `tool-${index}`)
const many = () => upstreamConfig('many', child(program('names-server.mjs'), JSON.stringify(names)))

async function expectAllOffered(gateway: Started): Promise<void> {
  expect(await (await client(gateway.url)).listTools()).toHaveLength(names.length)
  expect(gateway.health().troubles).toEqual([])
}

describe.skipIf(!postgresFound)('a new server', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await postgresServer()
  })
  afterAll(() => server.close())

  it('is offered whole by each gateway from its start, while one of them still accepts it', async () => {
    const url = await server.database()
    const first = started({ upstreams: [many()] }, { store: await newPostgresStore(url) })
    await until(async () => (await inDatabase(url, "SELECT FROM toolwire.kept WHERE room = 'pins' LIMIT 1")).length > 0)
    const others = [1, 2, 3].map(async () => started({ upstreams: [many()] }, { store: await newPostgresStore(url) }))
    for (const gateway of await Promise.all([first, ...others])) await expectAllOffered(gateway)
  })

  it('is new for one gateway only: a tool that another gateway finds later waits for a person at both', async () => {
    const database = await server.database()
    const [first, second] = await Promise.all([0, 1].map(async () => started({}, { store: await newPostgresStore(database) })))
    if (!first || !second) throw new Error('There are two gateways')
    const served = app({ name: 'shop', version: '1.0.0', tools: { honest: tool({ description: 'Honest', run: () => 'done' }) } })
    const upstreams = [upstreamConfig('shop', http((await listening(served)).url))]
    await first.change({ ...first.config, upstreams })
    const namesAt = async ({ url }: Started) => (await (await client(url)).listTools({ fresh: true })).map(({ name }) => name)
    await until(async () => (await namesAt(first)).length === 1)
    served.tools.add('later', tool({ description: 'Later', run: () => 'done' }))
    await second.change({ ...second.config, upstreams })
    const waiting = async (gateway: Started) =>
      ((await ask(gateway, '/pins')).body as { waiting: { tool: string }[] }).waiting.map((one) => one.tool)
    for (const gateway of [first, second]) {
      await until(async () => (await waiting(gateway)).length === 1)
      expect(await waiting(gateway)).toEqual(['shop__later'])
      expect(await namesAt(gateway)).toEqual(['shop__honest'])
    }
  })

  it('that cannot be accepted while the store is away is accepted afterwards', async () => {
    const store = await newPostgresStore(await server.database())
    const gateway = await started({}, { store })
    await server.kill()
    await expect.poll(() => store.trouble).toBeDefined()
    await gateway.change({ ...gateway.config, upstreams: [many()] })
    const one = await client(gateway.url)
    await expect.poll(() => gateway.log.filter((line) => line.startsWith('Tool definitions cannot be checked'))).toHaveLength(1)
    expect(await one.listTools({ fresh: true })).toEqual([])
    await server.start()
    await expect.poll(() => one.listTools()).toHaveLength(names.length)
    await expectAllOffered(gateway)
  })
})

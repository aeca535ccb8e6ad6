// Labels that a caller has received through one gateway apply at the others: two gateways on one database, with two servers.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../toolwire/test/postgres-server.js'
import { configPlace, replica, written } from '../support/config-replicas.js'
import { crmAndWeb, flowGuard as guard, policy } from '../support/crm-and-web.js'
import { flowSuite } from '../support/flow-suite.js'
import { newPostgresStore } from '../support/postgres-stores.js'
import { client, folder, started, until, words } from '../support/running-gateway.js'

describe.skipIf(!postgresFound)('a label received through one gateway', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await postgresServer()
  })
  afterAll(() => server.close())

  flowSuite(async (config) => {
    const url = await server.database()
    const one = async () => (await started(config, { store: await newPostgresStore(url) })).server
    return [await one(), await one()]
  })

  async function gateways(at: PostgresServer, spool = false) {
    const url = await at.database()
    const { upstreams, leaked } = await crmAndWeb()
    const file = join(folder(), 'policy.yaml')
    writeFileSync(file, policy())
    /** A caller of another new gateway. */
    const caller = async () => {
      const store = await newPostgresStore(url, { spool })
      const gateway = await started({ upstreams, guard: { ...guard, audit: { spool } }, policy: file }, { store })
      const one = await client(gateway.url)
      await until(async () => (await one.listTools({ fresh: true })).length === 4)
      const call = (name: string, args = {}) => one.call(name, args).then(words, (thrown: Error) => thrown.message)
      return { gateway, call, post: (what: string) => call('web__post', { text: what }) }
    }
    return { caller, leaked }
  }

  it('blocks a call to another server through every gateway, even one that starts later', async () => {
    const { caller, leaked } = await gateways(server)
    const [a, b] = [await caller(), await caller()]
    expect(await b.post('hello')).toBe('1')
    expect(await a.call('crm__count')).toBe('1 client')
    expect(await b.post('nothing private')).toBe('2')
    const clientData = await a.call('crm__read_client')
    expect(clientData).toContain('Ada')
    expect(await b.post(clientData)).toContain('customers are private')
    await a.gateway.close({ drainMs: 0, delayMs: 0 })
    const c = await caller()
    expect(await c.post(clientData)).toContain('customers are private')
    expect(leaked).toEqual(['hello', 'nothing private'])
  })

  it('cannot be looked up while the database is away: calls that depend on it are refused, others run', async () => {
    // A database of its own, because an outage with the databases of the tests above takes ten times as long.
    const own = await postgresServer()
    onTestFinished(() => own.close())
    const { caller, leaked } = await gateways(own, true)
    const [a, b] = [await caller(), await caller()]
    expect(await b.call('crm__count')).toBe('1 client')
    await own.kill()
    expect(await a.call('crm__read_client')).toContain(
      'The rules could not be evaluated, so the call to crm__read_client was not made',
    )
    expect(await b.post('hello')).toContain('The rules could not be evaluated, so the call to web__post was not made')
    expect(await b.call('crm__count')).toBe('1 client')
    expect(leaked).toEqual([])
    await own.start()
    await expect.poll(() => b.post('hello')).toBe('1')
    await expect.poll(() => a.call('crm__read_client')).toContain('Ada')
    expect(await b.post('Ada')).toContain('customers are private')
  })

  it('is checked by rules that were pushed into the database', async () => {
    const at = await configPlace(server)
    const set = {
      default: 'allow',
      labels: [{ name: 'notes', when: { server: 'notes', tool: 'read' } }],
      rules: [{ name: 'nothing back', when: { server: 'notes', tool: 'write', received: 'notes' }, decision: 'deny' }],
    }
    at.write('rules.json', JSON.stringify(set))
    at.write('mcp.json', written())
    expect(await at.run('config', 'push', 'mcp.json')).toMatchObject({ code: 0 })
    const [a, b] = [await replica(at), await replica(at)]
    expect(await b.writes()).toBe('written: hi')
    await (await client(a.gateway.url)).call('notes__read')
    expect(await b.writes()).toContain('This call to notes__write is not allowed')
  })
})

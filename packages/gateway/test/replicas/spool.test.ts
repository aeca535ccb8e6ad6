// Gateways whose database is away, with and without a spool.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../toolwire/test/postgres-server.js'
import { defaultGuard } from '../../src/config/gateway-config.js'
import { configPlace, replica, rules, written } from '../support/config-replicas.js'
import { newPostgresStore } from '../support/postgres-stores.js'
import {
  ask,
  child,
  client,
  credentialsFor,
  doneBy,
  program,
  type Started,
  started,
  upstreamConfig,
  words,
} from '../support/running-gateway.js'

describe.skipIf(!postgresFound)('a gateway whose database is away', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await postgresServer()
  })
  afterAll(() => server.close())

  async function gatewayWith(spool: boolean) {
    const upstreams = [upstreamConfig('notes', child(program('notes-server.mjs')), { trusted: true })]
    const store = await newPostgresStore(await server.database(), { spool })
    const gateway = await started({ upstreams, guard: { ...defaultGuard, audit: { spool } } }, { store })
    return { gateway, caller: await client(gateway.url) }
  }

  async function look({ port, config }: Started, path: string) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: credentialsFor({ port, config }) })
    return { status: answer.status, text: await answer.text() }
  }

  it('makes calls that need no other data, and reports the waiting records', async () => {
    const { gateway, caller } = await gatewayWith(true)
    const read = words(await caller.call('notes__read'))
    await server.kill()
    for (let n = 0; n < 10; n++) expect(words(await caller.call('notes__read'))).toBe(read)
    const refused = await caller.call('notes__write', { text: 'hi' })
    expect(refused.isError).toBe(true)
    expect(words(refused)).toMatch(
      /^This call needs an approval, and the gateway cannot use its store at the moment, so it was not made\. Try again later\.$/,
    )
    await expect.poll(() => gateway.health().status).toBe('degraded')
    expect(gateway.health()).toMatchObject({
      audit: { on: true, ok: true, spool: { records: 22 } },
      troubles: [
        expect.stringMatching(/PostgreSQL/),
        expect.stringMatching(/^audit: 22 records \(\d+ KiB\) wait on the local disk/),
      ],
    })
    expect(await look(gateway, '/readyz')).toEqual({ status: 200, text: '{"status":"ok"}' })
    const { text } = await look(gateway, '/metrics')
    expect(text).toContain('toolwire_audit_ok 1\n')
    expect(text).toContain('toolwire_audit_spool_records 22\n')
    expect(text).toMatch(/^toolwire_audit_spool_bytes [1-9]/m)
    await server.start()
    await expect.poll(() => gateway.health().status).toBe('ok')
    expect(gateway.health().audit).toEqual({ on: true, ok: true, spool: { records: 0, bytes: 0 } })
    const calls = await doneBy<{ tool: string; outcome: string }>(gateway)
    expect(calls.map(({ tool, outcome }) => `${tool} ${outcome}`)).toEqual([
      'notes__write refused',
      ...Array.from({ length: 11 }, () => 'notes__read ok'),
    ])
    expect(await ask(gateway, '/audit/verify')).toMatchObject({ status: 200, body: { ok: true } })
  })

  it('keeps records by a config that is itself in the database', async () => {
    const place = await configPlace(server)
    place.write('rules.json', rules('deny'))
    place.write('mcp.json', written({ guard: { audit: { spool: true } } }))
    expect(await place.run('config', 'push', 'mcp.json')).toMatchObject({ code: 0 })
    const { gateway } = await replica(place)
    const caller = await client(gateway.url)
    const read = words(await caller.call('notes__read'))
    await server.kill()
    expect(words(await caller.call('notes__read'))).toBe(read)
    expect(gateway.health().audit).toMatchObject({ ok: true, spool: { records: 2 } })
    await server.start()
    await expect.poll(() => gateway.health().audit.spool).toEqual({ records: 0, bytes: 0 })
  })

  it('refuses all calls without a spool, with the reason, and is not ready', async () => {
    const { gateway, caller } = await gatewayWith(false)
    await caller.call('notes__read')
    await server.kill()
    const refused = await caller.call('notes__read')
    expect(refused.isError).toBe(true)
    expect(words(refused)).toMatch(/could not be recorded, so it was not made/)
    expect((await look(gateway, '/readyz')).status).toBe(503)
    const { status, body } = await ask(gateway, '/status')
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { status: 'failing', troubles: [expect.stringMatching(/PostgreSQL/)] },
    })
    expect(body).not.toHaveProperty('approvalsPending')
    expect(gateway.health().audit).toEqual({ on: true, ok: false })
    await server.start()
    await expect.poll(() => gateway.health().status).toBe('ok')
    await expect.poll(async () => (await caller.call('notes__read')).isError ?? false).toBe(false)
  })
})

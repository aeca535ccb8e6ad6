// Two gateways with the same servers and one store in PostgreSQL, without knowledge of each other.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApiKey } from 'toolwire/auth'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../toolwire/test/postgres-server.js'
import { defaultApprovals, defaultGuard, type GatewayConfig } from '../../src/config/gateway-config.js'
import { newPostgresStore } from '../support/postgres-stores.js'
import { ask, child, client, pending, program, started, upstreamConfig, words } from '../support/running-gateway.js'

const notes = () => upstreamConfig('notes', child(program('notes-server.mjs')), { trusted: true })
const onProgress = () => undefined

describe.skipIf(!postgresFound)('gateways that share a store', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await postgresServer()
  })
  afterAll(() => server.close())

  async function pair(given: Partial<GatewayConfig> = {}) {
    const url = await server.database()
    const open = async () => started({ upstreams: [notes()], ...given }, { store: await newPostgresStore(url) })
    return { one: await open(), two: await open() }
  }
  const namesAt = async (gateway: { url: string }) =>
    (await (await client(gateway.url)).listTools({ fresh: true })).map(({ name }) => name).sort()

  it('decide calls of each other, and one of them notifies the webhook, once', async () => {
    const notifiedIds: string[] = []
    const hook = createServer((request, response) => {
      let text = ''
      request.on('data', (piece) => {
        text += piece
      })
      request.on('end', () => {
        notifiedIds.push((JSON.parse(text) as { approval: { id: string } }).approval.id)
        response.end('{}')
      })
    })
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void hook.close())
    const { port } = hook.address() as AddressInfo // it listens on a port
    const { one, two } = await pair({ webhook: { url: `http://127.0.0.1:${port}/`, secret: 'a secret of sixteen' } })
    const caller = await client(one.url)
    const call = caller.call('notes__write', { text: 'hi' }, { onProgress })
    const { id } = await pending(two)
    // The other gateway has received the event, and so has sent its notifications.
    await expect.poll(() => two.log.filter((line) => line.includes('notes__write waits for approval'))).toHaveLength(1)
    expect((await ask(two, `/approvals/${id}`, { body: { decision: 'allow' } })).status).toBe(200)
    expect(words(await call)).toBe('written: hi')
    expect((await ask(one, `/approvals/${id}`, { body: { decision: 'deny' } })).status).not.toBe(200)
    await expect.poll(() => one.log.filter((line) => /notes__write.*allowed/.test(line))).toHaveLength(1)
    await expect.poll(() => two.log.filter((line) => /notes__write.*allowed/.test(line))).toHaveLength(1)
    expect(notifiedIds).toEqual([id])
    // A gateway that starts during a pending call has not asked for it.
    const next = caller.call('notes__write', { text: 'ho' }, { onProgress })
    const waiting = await pending(two)
    await ask(two, `/approvals/${waiting.id}`, { body: { decision: 'deny' } })
    expect((await next).isError).toBe(true)
    expect(notifiedIds).toEqual([id, waiting.id])
  })

  it('let an identical retry at another gateway find the decision', async () => {
    const { one, two } = await pair({ approvals: { ...defaultApprovals, holdMs: 1 } })
    const [first, second] = [await client(one.url), await client(two.url)]
    expect((await first.call('notes__write', { text: 'hi' })).isError).toBe(true)
    const { id } = await pending(two)
    await ask(two, `/approvals/${id}`, { body: { decision: 'allow' } })
    expect(words(await second.call('notes__write', { text: 'hi' }))).toBe('written: hi')
    expect((await first.call('notes__write', { text: 'hi' })).isError).toBe(true)
  })

  it('offer tools that were accepted at one of them, and not those that were disabled there', async () => {
    const { one, two } = await pair({ guard: { ...defaultGuard, pins: 'strict', lists: false } })
    expect([await namesAt(one), await namesAt(two)]).toEqual([[], []])
    const all = ['notes__pid', 'notes__read', 'notes__slow', 'notes__write']
    const { body } = await ask(one, '/pins')
    const definitions = (body.waiting as { server: string; tool: string; hash: string }[]).map(({ server, tool, hash }) => ({
      ...{ server, tool, hash },
    }))
    expect((await ask(one, '/pins/accept-many', { body: { definitions } })).status).toBe(200)
    await expect.poll(() => namesAt(two)).toEqual(all)
    expect((await ask(one, '/tools/notes__write/state', { body: { state: 'off' } })).status).toBe(200)
    await expect.poll(() => namesAt(two)).toEqual(all.slice(0, -1))
    expect((await ask(two, '/tools/notes__write/state', { body: { state: 'on' } })).status).toBe(200)
    await expect.poll(() => namesAt(one)).toEqual(all)
  })

  it('record once that a key has expired while none of them ran', async () => {
    const url = await server.database()
    const upstreams = [notes()]
    const earlier = await started({ upstreams }, { store: await newPostgresStore(url) })
    await earlier.close({ drainMs: 0, delayMs: 0 })
    const beside = await newPostgresStore(url)
    const { record } = await createApiKey({ caller: 'nightly', scopes: [], expiresAt: Date.now() + 1 })
    await beside.keys.add(record)
    const stores = [await newPostgresStore(url), await newPostgresStore(url)]
    const gateways = await Promise.all(stores.map((store) => started({ upstreams }, { store })))
    await Promise.all(gateways.map((gateway) => gateway.close({ drainMs: 0, delayMs: 0 })))
    expect((await beside.audit.search({ tool: 'toolwire/expire-key' })).calls).toHaveLength(1)
  })
})

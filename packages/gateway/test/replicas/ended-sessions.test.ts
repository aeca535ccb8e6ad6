// Sessions before 2026-07-28 that their client has ended: no replica continues one, even if it missed the end.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../toolwire/test/postgres-server.js'
import { HttpPeer } from '../../../toolwire/test/transports/peers.js'
import { defaultGuard } from '../../src/config/gateway-config.js'
import type { GatewayOptions } from '../../src/lifecycle/start-gateway.js'
import { newPostgresStore } from '../support/postgres-stores.js'
import { child, program, type Started, started, upstreamConfig } from '../support/running-gateway.js'

const initialize = {
  jsonrpc: '2.0',
  id: 'init',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
const guard = { ...defaultGuard, audit: { spool: true } }

describe.skipIf(!postgresFound)('a session', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await postgresServer()
  })
  afterAll(() => server.close())

  async function fleet() {
    const url = await server.database()
    const upstreams = [upstreamConfig('watched', child(program('watched-server.mjs')), { trusted: true })]
    return {
      replica: async (options: Partial<GatewayOptions> = {}) =>
        started({ upstreams, guard }, { store: await newPostgresStore(url, { spool: true }), ...options }),
    }
  }

  const peerOf = async ({ url }: Started): Promise<HttpPeer> => {
    const peer = new HttpPeer(url)
    await peer.say(JSON.stringify(initialize), 'response')
    await peer.post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
    return peer
  }
  /** The same session at another replica. */
  const at = ({ url }: Started, { session }: HttpPeer): HttpPeer => Object.assign(new HttpPeer(url), { session })
  const statusAt = async (one: Started, peer: HttpPeer) => (await at(one, peer).post(JSON.stringify(ping))).status

  it('that was ended is unknown to a replica that starts later, and to the others after the ending replica died', async () => {
    const { replica } = await fleet()
    const [one, two] = [await replica(), await replica()]
    const [ended, other] = [await peerOf(one), await peerOf(one)]
    expect([await statusAt(two, ended), await statusAt(two, other)]).toEqual([200, 200])
    expect((await ended.request('DELETE')).status).toBe(204)
    await expect.poll(() => statusAt(two, ended)).toBe(404)
    await one.close({ drainMs: 0, delayMs: 0 })
    const three = await replica()
    expect([await statusAt(two, ended), await statusAt(three, ended)]).toEqual([404, 404])
    expect([await statusAt(two, other), await statusAt(three, other)]).toEqual([200, 200])
  })

  it('that was ended is refused within seconds by a replica that had it open and missed the end', async () => {
    const { replica } = await fleet()
    const [one, deaf] = [await replica({ replicas: { self: 'alone', all: () => [] } }), await replica()]
    const peer = await peerOf(one)
    expect(await statusAt(deaf, peer)).toBe(200)
    expect((await peer.request('DELETE')).status).toBe(204)
    await expect.poll(() => statusAt(deaf, peer)).toBe(404)
  })

  it('has the log level and the subscriptions that its client set at any replica', async () => {
    const { replica } = await fleet()
    const [one, two] = [await replica(), await replica()]
    const peer = await peerOf(one)
    const set = { jsonrpc: '2.0', id: 2, method: 'logging/setLevel', params: { level: 'error' } }
    expect((await at(two, peer).post(JSON.stringify(set))).status).toBe(200)
    const touch = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'watched__touch', arguments: {} } }
    const levels = async () => {
      const messages = await at(one, peer).say(JSON.stringify(touch), 'response')
      return messages.flatMap(({ method, params }) =>
        method === 'notifications/message' ? [(params as { level: string }).level] : [],
      )
    }
    await expect.poll(levels).toEqual(['error'])

    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    const stream = await at(one, peer).request('GET', { accept: 'text/event-stream' }, { signal: stop.signal })
    expect(stream.status).toBe(200)
    const chunks: string[] = []
    const write = (text: string) => void chunks.push(text)
    void stream.body
      ?.pipeThrough(new TextDecoderStream())
      .pipeTo(new WritableStream({ write }))
      .catch(() => undefined)
    const watch = { jsonrpc: '2.0', id: 4, method: 'resources/subscribe', params: { uri: 'notes://today' } }
    expect((await at(two, peer).say(JSON.stringify(watch), 'response')).at(-1)).toMatchObject({ result: {} })
    await expect
      .poll(async () => {
        await levels()
        return chunks.join('')
      })
      .toContain('notifications/resources/updated')
  })

  it('continues at every replica while the database is away, and a known end is kept', async () => {
    const { replica } = await fleet()
    const [one, two] = [await replica(), await replica()]
    const [ended, open] = [await peerOf(one), await peerOf(one)]
    expect((await ended.request('DELETE')).status).toBe(204)
    expect(await statusAt(two, ended)).toBe(404)
    await server.kill()
    expect(await statusAt(two, open)).toBe(200)
    await expect.poll(() => two.health().status).toBe('degraded')
    expect([await statusAt(two, open), await statusAt(two, ended)]).toEqual([200, 404])
    await server.start()
    await expect.poll(() => two.health().status).toBe('ok')
    expect([await statusAt(one, open), await statusAt(two, ended)]).toEqual([200, 404])
  })
})

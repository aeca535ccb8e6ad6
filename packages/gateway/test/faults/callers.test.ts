// Callers that hang up, callers that stop reading, and many callers at once.
import { connect as tcp } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectWithin, howMany, soaking } from '../../../toolwire/test/soak.js'
import { client, words } from '../support/running-gateway.js'
import { Crowd } from './crowd.js'
import { childPeer, HttpPeer } from './peer.js'
import { rawCall } from './raw.js'
import { count, startWithBadServer } from './start-with-bad-server.js'
import { eventually, slowness, until } from './waiting.js'

let peer: HttpPeer
beforeAll(async () => {
  peer = await HttpPeer.start()
})
afterAll(() => peer.kill())

const handles = () => process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP') || name === 'Timeout').length

describe('row 15: callers that hang up during a call', () => {
  const times = howMany(200, 10_000)

  it(`${times} times: the server receives each cancellation, and the gateway keeps no state of them`, async () => {
    const { target, notes } = peer.plays('hold', 'per-request')
    const { gateway, caller, beside } = await startWithBadServer(target, { guard: { inFlightUpstream: 200 } })
    const crowd = await Crowd.start(gateway.url)
    try {
      const hangUp = (calls: number) => crowd.asks({ what: 'hang up', calls, atOnce: 50, name: 'bad__bad' })
      await hangUp(200)
      await until(() => gateway.control.underWay() === 0)
      const before = { handles: handles(), gone: count(notes(), 'gone'), begun: count(notes(), 'bad') }
      await beside(() => hangUp(times))
      await until(() => gateway.control.underWay() === 0)
      await until(() => count(notes(), 'gone') === count(notes(), 'bad'))
      expect(count(notes(), 'bad') - before.begun).toBe(times)
      await until(() => handles() <= before.handles + 20)
      expect(words(await caller.call('bad__echo', { text: 'next' }))).toBe('next')
      const { audit } = gateway.control.store
      expect(await audit.verify()).toMatchObject({ ok: true })
      expect((await audit.search({ outcome: 'open' })).calls).toEqual([])
    } finally {
      await crowd.end()
    }
  }, 600_000)

  it('in a revision where hanging up does not cancel: the call runs to its end', async () => {
    const { target, notes } = peer.plays('late', 'handshake')
    const { gateway, beside } = await startWithBadServer(target)
    await beside(async () => {
      const one = await client(gateway.url, { revision: '2025-11-25' })
      const call = one.call('bad__bad').catch((thrown: unknown) => thrown)
      await eventually(() => count(notes(), 'bad') === 1)
      await one.close()
      await call
      await eventually(() => notes().includes('answered'))
    })
    await until(() => gateway.control.underWay() === 0)
  })
})

describe('row 16: a caller that never reads', () => {
  const request = (name: string, args: object) => {
    const { headers, body } = rawCall(name, args, { 'io.modelcontextprotocol/logLevel': 'debug' })
    const lines = Object.entries({ ...headers, 'content-length': body.length }).map(([key, value]) => `${key}: ${value}\r\n`)
    return `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join('')}\r\n${body}`
  }

  /** Sends a request and reads only when told to; then returns all bytes until the other side hangs up. */
  function stalledReader({ port }: { readonly port: number }, words: string) {
    const socket = tcp(port, '127.0.0.1', () => socket.write(words))
    const closed = new Promise((resolve) => socket.once('close', resolve))
    let bytes = 0
    socket.on('error', () => undefined).pause()
    return async () => {
      socket.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      socket.resume()
      await closed
      return bytes
    }
  }

  it('a stream is closed at 4 MiB, and another caller on that upstream is not delayed', async () => {
    const { target, notes } = childPeer('chatty', 'per-request')
    const { gateway, caller, beside } = await startWithBadServer(target)
    const listen = stalledReader(gateway, request('bad__bad', { bytes: 1_000_000, times: 48 }))
    await beside(() => eventually(() => notes().includes('said')))
    await until(() => gateway.control.underWay() === 0)
    // Data in the socket buffers and the gateway's own buffer. The whole stream would be 48 MB.
    expect(await listen()).toBeLessThan(24_000_000)
    expect(words(await caller.call('bad__echo', { text: 'next' }))).toBe('next')
  })

  if (soaking)
    it('unread answers are kept for 30 s', async () => {
      const { target, notes } = childPeer('big', 'per-request')
      const { gateway, caller, beside } = await startWithBadServer(target)
      const listen = stalledReader(gateway, request('bad__bad', { bytes: 3_000_000 }).repeat(8))
      const began = performance.now()
      await beside(() => eventually(() => count(notes(), 'bad') === 8))
      await until(() => gateway.control.underWay() === 0)
      await until(() => performance.now() - began > 38_000, 60_000)
      expect(await listen()).toBeLessThan(20_000_000)
      expect(words(await caller.call('bad__echo', { text: 'next' }))).toBe('next')
    })
})

const callers = howMany(200, 2_000)

describe(`row 17: ${callers} callers that disconnect and reconnect at once`, () => {
  it('are all served again within 30 s', async () => {
    const { target } = peer.plays('none', 'per-request')
    const { gateway, beside } = await startWithBadServer(target)
    const crowd = await Crowd.start(gateway.url)
    try {
      expect(await crowd.asks({ what: 'come', callers, name: 'bad__echo' })).toMatchObject({ served: callers })
      const back = await beside(() => crowd.asks({ what: 'come back', callers, name: 'bad__echo' }))
      expect(back.served).toBe(callers)
      expectWithin(back.ms, 30_000 * slowness())
    } finally {
      await crowd.end()
    }
  })
})

// The lifecycle of one upstream: opened, lost, reopened, and idle.

import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { server, tool } from 'toolwire'
import { listen } from 'toolwire/node'
import { describe, expect, it, onTestFinished } from 'vitest'
import { expectWithin } from '../../../toolwire/test/soak.js'
import { type IdentifyServer, serverIdentifier } from '../../src/config/servers/server-identity.js'
import { CircuitBreaker } from '../../src/upstreams/circuit-breaker.js'
import { UpstreamUnavailable } from '../../src/upstreams/unavailable.js'
import { backoff, Upstream } from '../../src/upstreams/upstream.js'
import {
  askingServer,
  child,
  config,
  eventually,
  http,
  listening,
  modern,
  program,
  upstream,
  words,
} from '../support/upstream-fixture.js'

const ping = server({ name: 'ping', version: '1.0.0', tools: { ping: tool({ description: 'Pings', run: () => 'pong' }) } })

describe('an upstream', () => {
  it('is opened at its first use, with one connection for all', async () => {
    const { url } = await listening(ping)
    const one = upstream('one', http(url))
    expect(one.status.state).toBe('idle')
    const clients = await Promise.all([one.client(), one.client(), one.client()])
    expect(new Set(clients).size).toBe(1)
    expect(one.status).toMatchObject({ state: 'ready', revision: modern, restarts: 0 })
  })

  it('that does not answer while it is opened does not delay a caller that cancels', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1')
    onTestFinished(() => void silent.close())
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const one = upstream('one', http(`http://127.0.0.1:${port}/mcp`))
    const [early, late] = [new AbortController(), new AbortController()]
    early.abort(new Error('before'))
    await expect(one.use((client) => client.call('ping'), early.signal)).rejects.toThrow('before')
    const waiting = one.use((client) => client.call('ping'), late.signal)
    late.abort(new Error('meanwhile'))
    await expect(waiting).rejects.toThrow('meanwhile')
    expect(one.status.state).toBe('opening')
  })

  it.each([
    '2025-11-25',
    modern,
  ])('that is a process of %s is restarted after its end, and reports why it was away', async (revision) => {
    const { target } = await askingServer(revision, 'pipe')
    const states: string[] = []
    const one = upstream('one', target)
    one.onChange((change) => change.kind === 'status' && states.push(one.status.state))
    const first = await one.client()
    const pid = await pidOf(one)
    process.kill(pid, 'SIGKILL')
    await eventually(() => one.status.state === 'failing' || one.status.restarts > 0)
    await eventually(() => one.status.state === 'ready' && one.status.restarts === 1)
    expect(states).toEqual(expect.arrayContaining(['opening', 'ready', 'failing']))
    expect(await one.client()).toBe(first)
    expect(await pidOf(one)).not.toBe(pid)
  })

  it.each(['2025-11-25', modern])('that is a process of %s is restarted only by its own schedule', async (revision) => {
    const { target } = await askingServer(revision, 'pipe')
    const identify = serverIdentifier('')
    let starts = 0
    const counted: IdentifyServer = (given) => {
      starts++
      return identify(given)
    }
    // The first delay is 5 s, so a start before that would be without the schedule.
    const one = new Upstream(config('one', target), { identify: counted, random: () => 9, onNote: () => undefined })
    onTestFinished(() => one.close())
    await one.client()
    const before = starts
    const startsAtOpening = new Promise<number>((resolve) =>
      one.onChange(() => one.status.state === 'opening' && resolve(starts)),
    )
    process.kill(await pidOf(one), 'SIGKILL')
    expect(await startsAtOpening).toBe(before)
    await eventually(() => one.status.restarts === 1)
    expect(starts).toBe(before + 1)
  })

  it('whose process dies during a call leaves its outcome unknown, at once', async () => {
    const { target } = await askingServer('2025-11-25', 'pipe')
    const one = upstream('one', target)
    const call = one.use((client) => client.call('wait'))
    const failed = call.catch((thrown: unknown) => thrown)
    await eventually(() => one.status.state === 'ready')
    const pid = await pidOf(one)
    const at = performance.now()
    process.kill(pid, 'SIGKILL')
    expect(await failed).toMatchObject({ code: 'outcome_unknown' })
    expectWithin(performance.now() - at, 1_000)
  })

  it('that exits right after its start is not restarted in a loop', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'upstream-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'starts')
    writeFileSync(file, '')
    const one = upstream('one', child(program('dying-server.mjs'), file))
    const starts = () => readFileSync(file, 'utf8').length
    for (let calls = 0; calls < 50; calls++) {
      await one.client().catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect(one.status).toMatchObject({ state: 'broken' })
    expect(one.status.why).toBeDefined()
    const before = starts()
    const at = performance.now()
    await expect(one.client()).rejects.toThrow(UpstreamUnavailable)
    expectWithin(performance.now() - at, 50)
    expect(starts()).toBe(before)
    expect(before).toBeLessThanOrEqual(12) // a server may be restarted once for its handshake
  })

  it('that refuses connections fails at once, and is not tried by calls after five failures', async () => {
    const one = upstream('one', http('http://127.0.0.1:1/mcp'))
    const took: number[] = []
    for (let calls = 0; calls < 20; calls++) {
      const at = performance.now()
      await expect(one.use((client) => client.ping())).rejects.toMatchObject({ name: 'UpstreamUnavailable' })
      took.push(performance.now() - at)
    }
    expect(one.status.state).toBe('broken')
    expectWithin(Math.max(...took.slice(6)), 50)
    expect(one.status.why).toContain('127.0.0.1')
  })

  it('is tried by one call while the others are refused at once', async () => {
    let connections = 0
    const silent: Server = createServer((socket) => {
      connections++
      socket.on('error', () => undefined)
      if (connections <= 5) socket.destroy()
    })
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void silent.close())
    const address = silent.address()
    const port = typeof address === 'object' ? address?.port : 0
    const one = upstream('one', http(`http://127.0.0.1:${port}/mcp`), { revision: '2025-11-25' })
    for (let calls = 0; calls < 5; calls++) await one.client().catch(() => undefined)
    expect(one.status.state).toBe('broken')
    const refusals = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const at = performance.now()
        await one.client().catch(() => undefined)
        return performance.now() - at
      }),
    )
    expectWithin(Math.max(...refusals), 50)
  })

  it('recovers by itself when it can be reached again', async () => {
    const first = await listen(ping, { signals: false })
    const one = upstream('one', http(first.url))
    await one.client()
    await first.close()
    await expect(one.use((client) => client.call('ping'))).rejects.toThrow()
    expect(one.status.state).not.toBe('ready')
    const second = await listen(ping, { signals: false, port: first.port })
    onTestFinished(() => second.close())
    await eventually(() => one.status.state === 'ready')
    expect(words(await one.use((client) => client.call('ping')))).toBe('pong')
  })

  it('counts one outage as one failure, however many calls it ends', async () => {
    const first = await listen(ping, { signals: false })
    const one = upstream('one', http(first.url))
    await one.client()
    await first.close()
    const states: string[] = []
    one.onChange((change) => change.kind === 'status' && states.push(one.status.state))
    const calls = Array.from({ length: 20 }, () => one.use((client) => client.call('ping')))
    expect((await Promise.allSettled(calls)).every(({ status }) => status === 'rejected')).toBe(true)
    expect(states.filter((state) => state === 'failing')).toHaveLength(1)
    expect(states).not.toContain('broken')
    const second = await listen(ping, { signals: false, port: first.port })
    onTestFinished(() => second.close())
    await eventually(() => one.status.state === 'ready')
    expect(one.status).not.toHaveProperty('retryInMs')
  })

  it('that was closed is not offered any more, and leaves no process', async () => {
    const { target } = await askingServer('2025-11-25', 'pipe')
    const one = upstream('one', target)
    await one.client()
    const pid = await pidOf(one)
    await one.close()
    expect(one.status.state).toBe('closed')
    await expect(one.client()).rejects.toThrow('no longer offered')
    expect(() => process.kill(pid, 0)).toThrow()
  })

  /** The tool returns its own process id. */
  async function pidOf(one: ReturnType<typeof upstream>): Promise<number> {
    return Number(words(await one.use((client) => client.call('pid'))))
  }
})

describe('the breaker', () => {
  it('lets one attempt through every five seconds once it has opened', () => {
    let now = 0
    const breaker = new CircuitBreaker(() => now)
    for (let failures = 0; failures < 5; failures++) {
      expect(breaker.tryAdmit()).toBe(true)
      breaker.fail()
    }
    expect(breaker.isOpen).toBe(true)
    expect(breaker.tryAdmit()).toBe(false)
    now = 4_999
    expect(breaker.tryAdmit()).toBe(false)
    now = 5_000
    expect([breaker.tryAdmit(), breaker.tryAdmit()]).toEqual([true, false])
    breaker.succeed()
    expect([breaker.isOpen, breaker.tryAdmit()]).toEqual([false, true])
  })
})

describe('the delay between attempts', () => {
  it('doubles each time up to two minutes, with a random part of at most half', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.double({ min: 0, max: 1, noNaN: true }), (failures, random) => {
        const most = Math.min(1_000 * 2 ** (failures - 1), 120_000)
        expect(backoff(failures, () => random)).toBeCloseTo(most / 2 + (most / 2) * random)
      }),
    )
  })
})

// Servers as child processes: how they exit, how they hang, and invalid output.
import { afterEach, describe, expect, it } from 'vitest'
import { expectWithin, soaking } from '../../../toolwire/test/soak.js'
import { client, words } from '../support/running-gateway.js'
import { childPeer, isAlive, pidsIn, styles } from './peer.js'
import { count, failed, startWithBadServer } from './start-with-bad-server.js'
import { eventually, until } from './waiting.js'

/** Time at which a peer reported its end, by the clock that all processes share. */
const endedAt = (notes: readonly string[]): number =>
  Number(BigInt(notes.find((word) => word.startsWith('ended '))?.split(' ')[1] ?? 0) / 1_000n) / 1_000
const now = () => Number(process.hrtime.bigint() / 1_000n) / 1_000

const left: number[] = []
afterEach(() => {
  for (const pid of left.splice(0)) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
})

describe('row 13: a process that ends', () => {
  it.each([
    ['in the middle of a line', 'exits-mid-line'],
    ['between two lines', 'exits'],
    ['and leaves a child of its own with its pipes', 'exits-with-grandchild'],
  ])('%s: pending calls fail within 100 ms, and it is restarted', async (_, script) => {
    const times: number[] = []
    // Uses the fastest of several rounds, because load on the machine only adds time.
    for (let round = 0; round < (soaking ? 3 : 1) && Math.min(...times, 1_000) > 100; round++) {
      const { target, notes } = childPeer(script, 'per-request')
      const { gateway, bad, beside } = await startWithBadServer(target)
      const ends = await beside(async () => {
        const held = Array.from({ length: 5 }, () => bad().then((result) => ({ result, at: now() })))
        await eventually(() => count(notes(), 'held') === 5)
        const last = bad({ end: true }).then((result) => ({ result, at: now() }))
        return Promise.all([...held, last])
      })
      for (const { result } of ends) expect(result).toMatchObject(failed('outcome_unknown'))
      times.push(Math.max(...ends.map(({ at }) => at)) - endedAt(notes()))
      await until(() => gateway.health().upstreams.bad === 'ready' && pidsIn(notes()).length > 1)
      await gateway.close({ drainMs: 0 })
      left.push(...pidsIn(notes()))
      await until(() => pidsIn(notes()).every((pid) => !isAlive(pid)))
    }
    expectWithin(Math.min(...times), 100)
  })

  it('right after its start: is not restarted in a loop', async () => {
    const { target, notes } = childPeer('never-stays', 'per-request')
    const { gateway, beside } = await startWithBadServer(target, { absent: true })
    await beside(() => until(() => gateway.health().upstreams.bad === 'broken', 120_000))
    const before = pidsIn(notes()).length
    expect(before).toBeLessThanOrEqual(11)
    // After the eleventh start, the gateway tries once in five seconds for any number of callers.
    const began = performance.now()
    await until(() => performance.now() - began > 3_000)
    const seconds = (performance.now() - began) / 1_000
    expect(pidsIn(notes()).length - before).toBeLessThanOrEqual(2 * (1 + Math.ceil(seconds / 5)))
  })

  it('at each call: is not restarted in a loop by its callers', async () => {
    const { target, notes } = childPeer('ends-at-each-call', 'per-request')
    const { gateway, bad, beside } = await startWithBadServer(target)
    await beside(async () => {
      const began = performance.now()
      while (performance.now() - began < (soaking ? 4_000 : 1_000) || gateway.health().upstreams.bad !== 'broken') {
        expect((await bad()).isError).toBe(true)
        if (performance.now() - began > 120_000) break
      }
    })
    expect(gateway.health().upstreams.bad).toBe('broken')
    expect(pidsIn(notes()).length).toBeLessThanOrEqual(8)
  })
})

describe('row 13: a process that does not end', () => {
  it('after its input closed and a signal: is killed with its child processes', async () => {
    const { target, notes } = childPeer('stubborn', 'handshake')
    const { gateway, beside } = await startWithBadServer(target)
    await eventually(() => pidsIn(notes()).length === 2)
    left.push(...pidsIn(notes()))
    // The gateway keeps serving other servers while it waits for this process.
    await beside(() =>
      gateway.change({ ...gateway.config, upstreams: gateway.config.upstreams.filter(({ id }) => id === 'good') }),
    )
    expect(notes()).toContain('SIGTERM')
    await until(() => pidsIn(notes()).every((pid) => !isAlive(pid)))
  })
})

describe('row 13: a process that is suspended', () => {
  it.each(styles)('takes no calls (%s) beyond its running and queued ones, and serves again when it resumes', async (style) => {
    const { target, notes } = childPeer('none', style)
    const guard = { inFlightUpstream: 8, queue: 104 }
    const { gateway, caller, beside } = await startWithBadServer(target, {
      guard,
      upstream: { timeout: { idleMs: 10_000, totalMs: 60_000 } },
    })
    const [pid = 0] = pidsIn(notes())
    left.push(pid)
    process.kill(pid, 'SIGSTOP')
    const outcomes = await beside(() => {
      const calls = Array.from({ length: 10 }, () => caller.call('bad__echo', { text: 'stopped' }))
      return Promise.all(calls)
    })
    for (const outcome of outcomes) expect(outcome.isError).toBe(true)
    for (const outcome of outcomes.slice(0, 4)) expect(outcome).toMatchObject(failed('outcome_unknown'))
    process.kill(pid, 'SIGCONT')
    await until(async () => words(await caller.call('bad__echo', { text: 'on' })) === 'on')
    expect(gateway.health().upstreams.bad).toBe('ready')
    expect(pidsIn(notes())).toEqual([pid])
  })

  it('with a full queue: further calls are told that it is busy, and other servers answer', async () => {
    const { target, notes } = childPeer('none', 'per-request')
    const guard = { inFlightUpstream: 4, queue: 3 }
    const { caller } = await startWithBadServer(target, { guard, upstream: { timeout: { idleMs: 60_000, totalMs: 60_000 } } })
    const [pid = 0] = pidsIn(notes())
    left.push(pid)
    process.kill(pid, 'SIGSTOP')
    const calls = Array.from({ length: 8 }, () => caller.call('bad__echo', { text: 'stopped' }).catch((thrown) => thrown))
    expect(JSON.stringify(await Promise.race(calls))).toMatch(/busy|wait|too many/i)
    for (let pair = 0; pair < 50; pair++) {
      const sums = await Promise.all([1, 2].map((a) => caller.call('good__sum', { a, b: 1 })))
      expect(sums.map((sum) => words(sum))).toEqual(['2', '3'])
    }
    process.kill(pid, 'SIGCONT')
    const outcomes = await Promise.all(calls)
    expect(outcomes.filter((outcome) => outcome.content && words(outcome) === 'stopped')).toHaveLength(5)
  })
})

describe('row 14: invalid messages on the output of a process', () => {
  it.each(styles)('garbage of all kinds is skipped and logged, but not logged 5,000 times (%s)', async (style) => {
    const { target } = childPeer('garbage', style)
    const { gateway, bad, beside } = await startWithBadServer(target)
    expect(words(await beside(() => bad()))).toBe('ok')
    const logged = gateway.log.filter((line) => line.startsWith('bad: '))
    expect(logged.join('\n')).toContain('Server started')
    expect(logged.length).toBeLessThan(100)
  })

  it('a line of 40 MB is skipped and logged, and other callers are not delayed', async () => {
    const { target } = childPeer('long-line', 'handshake')
    const { gateway, bad, beside } = await startWithBadServer(target)
    const caller = await client(gateway.url)
    const outcome = await beside(() => bad({ bytes: 40 * 1024 * 1024 }))
    expect(words(outcome)).toBe('ok')
    expect(gateway.log.join('\n')).toContain('4194304')
    expect(words(await caller.call('bad__echo', { text: 'next' }))).toBe('next')
  })
})

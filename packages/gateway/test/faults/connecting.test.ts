// Servers that accept and stay silent, refuse connections, or break them during an exchange.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAfter, expectWithin } from '../../../toolwire/test/soak.js'
import { words } from '../support/running-gateway.js'
import { HttpPeer, styles } from './peer.js'
import { count, failed, startWithBadServer } from './start-with-bad-server.js'
import { eventually, quickest, until } from './waiting.js'

let peer: HttpPeer
beforeAll(async () => {
  peer = await HttpPeer.start()
})
afterAll(() => peer.kill())

const short = { timeout: { idleMs: 20_000, totalMs: 4_000 } }

describe('row 1: a server that accepts, and never answers', () => {
  it.each(
    styles,
  )('a call (%s) ends at its timeout, is cancelled at the server, and frees its concurrency slot', async (style) => {
    const { target, notes } = peer.plays('silent', style)
    const { gateway, caller, bad, beside } = await startWithBadServer(target, {
      upstream: short,
      guard: { inFlightUpstream: 1, queue: 256 },
    })
    const began = performance.now()
    const outcome = await beside(() => bad())
    expectAfter(performance.now() - began, 650)
    expect(outcome).toMatchObject(failed('outcome_unknown', /outcome_unknown.*4000 ms/))
    await eventually(() => count(notes(), style === 'per-request' ? 'hangup' : 'notifications/cancelled') > 0)
    expect(count(notes(), 'bad')).toBe(1)
    expect(gateway.control.underWay()).toBe(0)
    // The only slot was taken by the call that timed out.
    expect(words(await caller.call('bad__echo', { text: 'next' }))).toBe('next')
  })

  it('a server that is silent from the start delays neither the gateway nor other servers', async () => {
    const { target } = peer.plays('mute', 'handshake')
    const began = performance.now()
    const { gateway, beside } = await startWithBadServer(target, { absent: true })
    // The connection attempt times out after a minute. Nothing has waited for it.
    expectWithin(performance.now() - began, 50_000)
    await beside(() => undefined)
    expect(gateway.health().upstreams).toMatchObject({ good: 'ready' })
    expect(gateway.health().upstreams.bad).not.toBe('ready')
  })
})

describe('row 2: a server that refuses connections', () => {
  it('fails calls at once, is tried every five seconds after five failures, and is used again when it is back', async () => {
    const own = await HttpPeer.start()
    const { gateway, caller, beside } = await startWithBadServer(own.plays('none', 'per-request').target)
    const attempts: number[] = []
    const state = () => gateway.health().upstreams.bad
    gateway.control.events.onEvent(({ kind, data }) => {
      if (kind === 'upstream' && data.server === 'bad' && data.state === 'opening') attempts.push(performance.now())
    })
    await own.kill()
    const call = async () => {
      const began = performance.now()
      expect((await caller.call('bad__echo')).isError).toBe(true)
      return performance.now() - began
    }
    // The server seems ready until a call fails, so the first calls may be slow.
    expectWithin(await beside(call), 5_000)
    expectWithin(await quickest(50, call), 50)
    await until(async () => (await call()) > 0 && state() === 'broken')
    expect(await caller.call('bad__echo')).toMatchObject(failed('unavailable', /the gateway retries in \d s/))
    expectWithin(await quickest(50, call), 50)
    const before = attempts.length
    await until(async () => (await call()) > 0 && attempts.length >= before + 2, 30_000, 200)
    const [first = 0, second = 0] = attempts.slice(-2)
    expectAfter(second - first, 4_900)
    expectWithin(second - first, 9_000)
    const back = await HttpPeer.start(Number(new URL(own.url).port))
    try {
      // Without calls, the delay between attempts grows. A call triggers an attempt, at most every five seconds.
      await until(async () => (await caller.call('bad__echo')).isError !== true, 30_000, 200)
      expect(state()).toBe('ready')
      expect(words(await caller.call('bad__echo', { text: 'back' }))).toBe('back')
    } finally {
      await back.kill()
    }
  })
})

describe('row 3: a connection that is reset when the call has been written', () => {
  it.each(styles)('leaves the outcome unknown (%s), and the call is not repeated', async (style) => {
    const { target, notes } = peer.plays('reset', style)
    const { caller, bad, beside } = await startWithBadServer(target)
    expect(await beside(() => bad())).toMatchObject(failed('outcome_unknown'))
    expect(words(await caller.call('bad__echo', { text: 'next' }))).toBe('next')
    expect(count(notes(), 'bad')).toBe(1)
  })
})

describe('row 4: an answer that is truncated', () => {
  it.each([
    ['of a body with a length', 'cut-json'],
    ['of a body in chunks', 'cut-chunks'],
    ['of the lines of an event', 'cut-event'],
    ['of the line of an event', 'cut-half-event'],
  ])('%s is an error, and no part of it becomes a result', async (_, script) => {
    for (const style of styles) {
      const { target, notes } = peer.plays(script, style)
      const { bad, beside } = await startWithBadServer(target)
      const outcome = await beside(() => bad())
      expect(outcome).toMatchObject(failed('outcome_unknown'))
      expect(words(outcome)).not.toContain('PART')
      expect(count(notes(), 'bad')).toBe(1)
    }
  })

  it.each(styles)('an event stream (%s) is reopened after a different delay each time', async (style) => {
    const { target, notes } = peer.plays('leaving', style)
    const { beside } = await startWithBadServer(target)
    const at = (word: string) => notes().flatMap((one) => (one.startsWith(`${word} `) ? [Number(one.split(' ')[1])] : []))
    await beside(() => eventually(() => at('listening').length >= 4))
    const pauses = at('listening')
      .slice(1)
      .map((listening, nth) => listening - (at('left')[nth] ?? 0))
    // The delays are random, so that clients do not return together. Their bound grows from 1 s by a factor of 1.5.
    expect(new Set(pauses.map(Math.round)).size).toBeGreaterThan(1)
    for (const [nth, pause] of pauses.entries()) expectWithin(pause, 1_000 * 1.5 ** nth + 3_000)
  })
})

describe('row 5: a stream that stays open after the answer', () => {
  it.each(styles)('is closed by the gateway, and the call (%s) ends with its answer', async (style) => {
    const { target, notes } = peer.plays('open', style)
    const { bad, beside } = await startWithBadServer(target, { upstream: { timeout: { idleMs: 60_000, totalMs: 60_000 } } })
    expect(words(await beside(() => bad()))).toBe('open')
    await eventually(() => count(notes(), 'hangup') > 0)
  })
})

describe('row 6: an answer at one byte a second', () => {
  it.each(styles)('ends at the timeout of the call (%s)', async (style) => {
    const { target, notes } = peer.plays('drip', style)
    const { bad, beside } = await startWithBadServer(target, { upstream: { timeout: { idleMs: 60_000, totalMs: 2_500 } } })
    const began = performance.now()
    expect(await beside(() => bad())).toMatchObject(failed('outcome_unknown', /took longer than 2500 ms/))
    expectAfter(performance.now() - began, 2_450)
    await eventually(() => count(notes(), 'hangup') > 0)
  })
})

// Servers that are there and say nothing, that are not there, or that go while they are spoken with.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAfter, expectWithin } from '../../../toolwire/test/soak.js'
import { words } from '../support/running-gateway.js'
import { eras, HttpPeer } from './peer.js'
import { count, failed, stage } from './stage.js'
import { eventually, quickest, until } from './waiting.js'

let peer: HttpPeer
beforeAll(async () => {
  peer = await HttpPeer.start()
})
afterAll(() => peer.kill())

const short = { timeout: { idleMs: 20_000, totalMs: 4_000 } }

describe('row 1: a server that accepts, and never answers', () => {
  it.each(eras)('a call (%s) ends at the limit, the server is told, and its place is free again', async (era) => {
    const { target, seen } = peer.plays('silent', era)
    const { gateway, caller, bad, beside } = await stage(target, { upstream: short, guard: { inFlightUpstream: 1, queue: 256 } })
    const began = performance.now()
    const outcome = await beside(() => bad())
    expectAfter(performance.now() - began, 650)
    expect(outcome).toMatchObject(failed('outcome_unknown', /outcome_unknown.*4000 ms/))
    await eventually(() => count(seen(), era === 'modern' ? 'hangup' : 'notifications/cancelled') > 0)
    expect(count(seen(), 'bad')).toBe(1)
    expect(gateway.control.underWay()).toBe(0)
    // There is one place, and it was taken.
    expect(words(await caller.call('bad__echo', { text: 'next' }))).toBe('next')
  })

  it('one that says nothing from the very first keeps neither the gateway nor the others waiting', async () => {
    const { target } = peer.plays('mute', 'older')
    const began = performance.now()
    const { gateway, beside } = await stage(target, { absent: true })
    // A silent server is given up after a minute; nobody has waited for that.
    expectWithin(performance.now() - began, 50_000)
    await beside(() => undefined)
    expect(gateway.health().upstreams).toMatchObject({ good: 'ready' })
    expect(gateway.health().upstreams.bad).not.toBe('ready')
  })
})

describe('row 2: a server that refuses connections', () => {
  it('fails calls at once; after five failures one tries every five seconds; it is used again when it is back', async () => {
    const own = await HttpPeer.start()
    const { gateway, caller, beside } = await stage(own.plays('none', 'modern').target)
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
    // What is known now is that it was there a moment ago, so this one finds out, and so do some after it.
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
      // Without calls it would be tried ever more seldom; a call tries it at once, every five seconds.
      await until(async () => (await caller.call('bad__echo')).isError !== true, 30_000, 200)
      expect(state()).toBe('ready')
      expect(words(await caller.call('bad__echo', { text: 'back' }))).toBe('back')
    } finally {
      await back.kill()
    }
  })
})

describe('row 3: a connection that is reset when the call has been written', () => {
  it.each(eras)('leaves the outcome unknown (%s), and the call is not made again', async (era) => {
    const { target, seen } = peer.plays('reset', era)
    const { caller, bad, beside } = await stage(target)
    expect(await beside(() => bad())).toMatchObject(failed('outcome_unknown'))
    expect(words(await caller.call('bad__echo', { text: 'next' }))).toBe('next')
    expect(count(seen(), 'bad')).toBe(1)
  })
})

describe('row 4: an answer that ends in the middle', () => {
  it.each([
    ['of a body with a length', 'cut-json'],
    ['of a body in chunks', 'cut-chunks'],
    ['of the lines of an event', 'cut-event'],
    ['of the line of an event', 'cut-half-event'],
  ])('%s is an error, and no part of it is a result', async (_, script) => {
    for (const era of eras) {
      const { target, seen } = peer.plays(script, era)
      const { bad, beside } = await stage(target)
      const outcome = await beside(() => bad())
      expect(outcome).toMatchObject(failed('outcome_unknown'))
      expect(words(outcome)).not.toContain('PART')
      expect(count(seen(), 'bad')).toBe(1)
    }
  })

  it.each(eras)('a stream of news (%s) is asked for again, each time after another while', async (era) => {
    const { target, seen } = peer.plays('leaving', era)
    const { beside } = await stage(target)
    const at = (word: string) => seen().flatMap((one) => (one.startsWith(`${word} `) ? [Number(one.split(' ')[1])] : []))
    await beside(() => eventually(() => at('listening').length >= 4))
    const pauses = at('listening')
      .slice(1)
      .map((listening, nth) => listening - (at('left')[nth] ?? 0))
    // Never at once, never at the same time as everybody else, and within what has been said: 1 s × 1.5 each time at most.
    expect(new Set(pauses.map(Math.round)).size).toBeGreaterThan(1)
    for (const [nth, pause] of pauses.entries()) expectWithin(pause, 1_000 * 1.5 ** nth + 3_000)
  })
})

describe('row 5: a stream that stays open after the answer', () => {
  it.each(eras)('is closed by us, and the call (%s) is over with its answer', async (era) => {
    const { target, seen } = peer.plays('open', era)
    const { bad, beside } = await stage(target, { upstream: { timeout: { idleMs: 60_000, totalMs: 60_000 } } })
    expect(words(await beside(() => bad()))).toBe('open')
    await eventually(() => count(seen(), 'hangup') > 0)
  })
})

describe('row 6: an answer of a byte a second', () => {
  it.each(eras)('is not waited for longer than a call (%s) may take', async (era) => {
    const { target, seen } = peer.plays('drip', era)
    const { bad, beside } = await stage(target, { upstream: { timeout: { idleMs: 60_000, totalMs: 2_500 } } })
    const began = performance.now()
    expect(await beside(() => bad())).toMatchObject(failed('outcome_unknown', /took longer than 2500 ms/))
    expectAfter(performance.now() - began, 2_450)
    await eventually(() => count(seen(), 'hangup') > 0)
  })
})

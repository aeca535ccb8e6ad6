// Servers that send too much data, or unreadable data.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collect } from '../../../toolwire/test/garbage.js'
import { eachNth, howMany, soaking } from '../../../toolwire/test/soak.js'
import { words } from '../support/running-gateway.js'
import { childPeer, type Era, eras, HttpPeer } from './peer.js'
import { messagesFor } from './raw.js'
import { count, failed, stage } from './stage.js'
import { eventually, until } from './waiting.js'

let peer: HttpPeer
beforeAll(async () => {
  peer = await HttpPeer.start()
})
afterAll(() => peer.kill())

const mebibyte = 1024 * 1024
const limitBytes = 4 * mebibyte

function held(): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** A sample is slow, because it collects all garbage first. */
const sampleMs = soaking ? 250 : 1_000

/** The largest growth of live memory during the work, in MiB. Garbage is not counted. */
async function growth<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly grownMiB: number }> {
  const before = held()
  let most = before
  const sampler = setInterval(() => {
    most = Math.max(most, held())
  }, sampleMs)
  try {
    return { value: await work(), grownMiB: (Math.max(most, held()) - before) / mebibyte }
  } finally {
    clearInterval(sampler)
  }
}

describe('row 7: progress, 10,000 times a second', () => {
  it.each(
    eras,
  )('reaches the caller at most ten times a second after the first burst (%s), and memory does not grow', async (era) => {
    const { target } = peer.plays('progress', era)
    const { gateway, bad, beside } = await stage(target)
    await bad({ total: 100 }) // The first call loads code, so its memory is not counted.
    const total = howMany(1_500, 20_000)
    const began = performance.now()
    const { value, grownMiB } = await growth(() => beside(() => messagesFor(gateway.url, 'bad__bad', { total })))
    const seconds = (performance.now() - began) / 1_000
    const progress = value.filter(({ method }) => method === 'notifications/progress')
    expect(value.at(-1)).toMatchObject({ result: { content: [{ text: 'arrived' }] } })
    expect(progress.length).toBeGreaterThan(5)
    // The first fifty notifications pass as a burst.
    expect(progress.length).toBeLessThanOrEqual(53 + 10 * seconds)
    expect(progress.at(-1)).toMatchObject({ params: { progress: total } })
    expect(grownMiB).toBeLessThan(32)
  })
})

/** The suite alternates between the revisions; the soak tests each row in both. */
const inEras = <Row extends readonly unknown[]>(rows: readonly Row[]): (readonly [...Row, Era])[] =>
  eachNth(
    rows.flatMap((row) => eras.map((era) => [...row, era] as const)),
    5,
  )

const garbage = [
  ['text that is not JSON', 'no-json', 'bad_response'],
  ['HTML with 200', 'html', 'bad_response'],
  ['an answer as plain text', 'plain-text', 'bad_response'],
  ['an answer without a content type', 'untyped', 'bad_response'],
  ['bytes after the answer', 'bytes-after', 'bad_response'],
  ['nothing at all', 'empty', 'bad_response'],
] as const

describe('row 8: an invalid answer', () => {
  it.each(inEras(garbage))('%s is an error with its cause (%s, %s, %s)', async (_, script, code, era) => {
    const { target } = peer.plays(script, era)
    const { caller, bad, beside } = await stage(target)
    expect(await beside(() => bad())).toMatchObject(failed(code))
    expect(words(await caller.call('bad__echo', { text: 'next' }))).toBe('next')
  })

  it.each([
    ['invalid chunks', 'bad-chunks'],
    ['bytes that are not HTTP', 'no-http'],
  ])('%s leave the outcome unknown, and the connection is not used again', async (_, script) => {
    const { target, seen } = peer.plays(script, 'modern')
    const { caller, bad, beside } = await stage(target)
    expect(await beside(() => bad())).toMatchObject(failed('outcome_unknown'))
    expect(words(await caller.call('bad__echo'))).toBe('ok')
    await eventually(() => sockets(seen()).length === 2)
    expect(new Set(sockets(seen())).size).toBe(2)
  })

  it('a second reply after the first is not taken for another call', async () => {
    const { target, seen } = peer.plays('two-replies', 'modern')
    const { caller, bad, beside } = await stage(target)
    expect(words(await beside(() => bad()))).toBe('ok')
    expect(words(await caller.call('bad__echo', { text: 'next' }))).toBe('ok')
    await eventually(() => sockets(seen()).length === 2)
    expect(new Set(sockets(seen())).size).toBe(2)
  })

  const sockets = (seen: readonly string[]) => seen.filter((word) => word.startsWith('socket '))
})

describe('row 9: hundreds of megabytes', () => {
  it.each([
    ['as a body', 'body'],
    ['as an event of one line', 'line'],
    ['as an event of many lines', 'lines'],
  ])('%s: the connection is closed at 4 MiB', async (_, script) => {
    const { target, seen } = peer.plays(script, 'modern')
    const { bad, beside } = await stage(target)
    const { value, grownMiB } = await growth(() => beside(() => bad()))
    expect(value).toMatchObject(failed('limit'))
    const poured = await eventually(() => seen().find((word) => word.startsWith('poured ')))
    // Socket buffers between the two processes hold more than the gateway has read.
    expect(Number(poured.split(' ')[1])).toBeLessThan(limitBytes + 28 * mebibyte)
    expect(count(seen(), 'hangup')).toBe(1)
    expect(grownMiB).toBeLessThan(32)
  })

  it('as a line of a process: the line is skipped and logged, and the answer after it is accepted', async () => {
    const { target } = childPeer('long-line', 'modern')
    const { gateway, bad, beside } = await stage(target)
    const { value, grownMiB } = await growth(() => beside(() => bad({ bytes: howMany(40, 400) * mebibyte })))
    expect(words(value)).toBe('ok')
    expect(gateway.log.join('\n')).toContain(String(limitBytes))
    expect(grownMiB).toBeLessThan(32)
  })
})

describe('row 10: an answer with a wrong id', () => {
  const wrongIds = [
    ['to an unknown request', 'id-unused'],
    ['with the id as text', 'id-text'],
    ['with null as the id', 'id-null'],
    ['to a completed request', 'id-over'],
  ] as const

  it.each(inEras(wrongIds))('%s is skipped and logged (%s, %s)', async (_, script, era) => {
    const { target } = peer.plays(script, era)
    const { gateway, bad, beside } = await stage(target)
    expect(words(await beside(() => bad()))).toBe('right')
    await until(() => gateway.log.some((line) => /ignored|passed over|skipped/.test(line)))
  })

  it('that is repeated counts once', async () => {
    const { target } = childPeer('answers-twice', 'older')
    const { gateway, caller, bad, beside } = await stage(target)
    expect(words(await beside(() => bad()))).toBe('right')
    expect(words(await caller.call('bad__echo', { text: 'next' }))).toBe('next')
    await until(() => gateway.log.some((line) => line.includes('was ignored')))
  })

  it.each(eras)('that follows a cancellation of the call (%s) is dropped', async (era) => {
    const { target, seen } = childPeer('late', era)
    const { gateway, caller, beside } = await stage(target)
    const stop = new AbortController()
    await beside(async () => {
      const call = caller.call('bad__bad', {}, { signal: stop.signal })
      const ended = call.catch((thrown: unknown) => thrown)
      await eventually(() => seen().includes('held'))
      stop.abort()
      expect(await ended).toMatchObject({ code: 'cancelled' })
      await eventually(() => seen().includes('answered'))
    })
    await until(() => gateway.log.some((line) => line.includes('was ignored')))
    expect(words(await caller.call('bad__echo', { text: 'next' }))).toBe('next')
  })
})

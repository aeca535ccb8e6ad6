// Servers that send too much data, or unreadable data.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collect } from '../../../toolwire/test/garbage.js'
import { eachNth, howMany, soaking } from '../../../toolwire/test/soak.js'
import { words } from '../support/running-gateway.js'
import { childPeer, HttpPeer, type Style, styles } from './peer.js'
import { messagesFor } from './raw.js'
import { count, failed, startWithBadServer } from './start-with-bad-server.js'
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
    styles,
  )('reaches the caller at most ten times a second after the first burst (%s), and memory does not grow', async (style) => {
    const { target } = peer.plays('progress', style)
    const { gateway, bad, beside } = await startWithBadServer(target)
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

/** The suite alternates between the styles; the soak tests each row in both. */
const inBothStyles = <Row extends readonly unknown[]>(rows: readonly Row[]): (readonly [...Row, Style])[] =>
  eachNth(
    rows.flatMap((row) => styles.map((style) => [...row, style] as const)),
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
  it.each(inBothStyles(garbage))('%s is an error with its cause (%s, %s, %s)', async (_, script, code, style) => {
    const { target } = peer.plays(script, style)
    const { caller, bad, beside } = await startWithBadServer(target)
    expect(await beside(() => bad())).toMatchObject(failed(code))
    expect(words(await caller.call('bad__echo', { text: 'next' }))).toBe('next')
  })

  it.each([
    ['invalid chunks', 'bad-chunks'],
    ['bytes that are not HTTP', 'no-http'],
  ])('%s leave the outcome unknown, and the connection is not used again', async (_, script) => {
    const { target, notes } = peer.plays(script, 'per-request')
    const { caller, bad, beside } = await startWithBadServer(target)
    expect(await beside(() => bad())).toMatchObject(failed('outcome_unknown'))
    expect(words(await caller.call('bad__echo'))).toBe('ok')
    await eventually(() => sockets(notes()).length === 2)
    expect(new Set(sockets(notes())).size).toBe(2)
  })

  it('a second reply after the first is not taken for another call', async () => {
    const { target, notes } = peer.plays('two-replies', 'per-request')
    const { caller, bad, beside } = await startWithBadServer(target)
    expect(words(await beside(() => bad()))).toBe('ok')
    expect(words(await caller.call('bad__echo', { text: 'next' }))).toBe('ok')
    await eventually(() => sockets(notes()).length === 2)
    expect(new Set(sockets(notes())).size).toBe(2)
  })

  const sockets = (notes: readonly string[]) => notes.filter((word) => word.startsWith('socket '))
})

describe('row 9: hundreds of megabytes', () => {
  it.each([
    ['as a body', 'body'],
    ['as an event of one line', 'line'],
    ['as an event of many lines', 'lines'],
  ])('%s: the connection is closed at 4 MiB', async (_, script) => {
    const { target, notes } = peer.plays(script, 'per-request')
    const { bad, beside } = await startWithBadServer(target)
    const { value, grownMiB } = await growth(() => beside(() => bad()))
    expect(value).toMatchObject(failed('limit'))
    const poured = await eventually(() => notes().find((word) => word.startsWith('poured ')))
    // Socket buffers between the two processes hold more than the gateway has read.
    expect(Number(poured.split(' ')[1])).toBeLessThan(limitBytes + 28 * mebibyte)
    expect(count(notes(), 'hangup')).toBe(1)
    expect(grownMiB).toBeLessThan(32)
  })

  it('as a line of a process: the line is skipped and logged, and the answer after it is accepted', async () => {
    const { target } = childPeer('long-line', 'per-request')
    const { gateway, bad, beside } = await startWithBadServer(target)
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

  it.each(inBothStyles(wrongIds))('%s is skipped and logged (%s, %s)', async (_, script, style) => {
    const { target } = peer.plays(script, style)
    const { gateway, bad, beside } = await startWithBadServer(target)
    expect(words(await beside(() => bad()))).toBe('right')
    await until(() => gateway.log.some((line) => /ignored|passed over|skipped/.test(line)))
  })

  it('that is repeated counts once', async () => {
    const { target } = childPeer('answers-twice', 'handshake')
    const { gateway, caller, bad, beside } = await startWithBadServer(target)
    expect(words(await beside(() => bad()))).toBe('right')
    expect(words(await caller.call('bad__echo', { text: 'next' }))).toBe('next')
    await until(() => gateway.log.some((line) => line.includes('was ignored')))
  })

  it.each(styles)('that follows a cancellation of the call (%s) is dropped', async (style) => {
    const { target, notes } = childPeer('late', style)
    const { gateway, caller, beside } = await startWithBadServer(target)
    const stop = new AbortController()
    await beside(async () => {
      const call = caller.call('bad__bad', {}, { signal: stop.signal })
      const ended = call.catch((thrown: unknown) => thrown)
      await eventually(() => notes().includes('held'))
      stop.abort()
      expect(await ended).toMatchObject({ code: 'cancelled' })
      await eventually(() => notes().includes('answered'))
    })
    await until(() => gateway.log.some((line) => line.includes('was ignored')))
    expect(words(await caller.call('bad__echo', { text: 'next' }))).toBe('next')
  })
})

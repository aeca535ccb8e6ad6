// The event stream: enough detail to follow the calls, at a bounded rate.
import { describe, expect, it } from 'vitest'
import { expectAfter, howMany } from '../../../toolwire/test/soak.js'
import { defaultApprovals } from '../../src/config/gateway-config.js'
import { listening, type StreamEvent } from '../support/event-stream.js'
import { ask, client, started } from '../support/running-gateway.js'
import { asking, notes, open } from '../support/upstream-configs.js'

const onProgress = () => undefined
const ofCalls = (events: readonly StreamEvent[]) => events.filter(({ event }) => event === 'call')

describe('events of calls', () => {
  it('UX-003 report caller, tool, arguments and outcome', async () => {
    const gateway = await started({ upstreams: [notes()], guard: open })
    const stream = await listening(gateway, '/events')
    const one = await client(gateway.url)
    const before = Date.now()
    await one.call('notes__slow', { ms: 20 })
    const begun = await stream.first(({ data }) => data.what === 'begun')
    const about = { call: begun.data.call, tool: 'notes__slow', server: 'notes', caller: 'local' }
    expect(begun.data).toMatchObject({ ...about, arguments: { ms: 20 } })
    expect(begun.data.at).toBeGreaterThanOrEqual(before)
    const ended = await stream.first(({ data }) => data.what === 'ended')
    expect(ended.data).toMatchObject({ ...about, outcome: 'ok', ms: expect.any(Number), record: expect.any(String) })
    expectAfter(Number(ended.data.ms), 19)
    const { body } = await ask(gateway, `/audit/${ended.data.record}`)
    expect(body.call).toMatchObject({ tool: 'notes__slow', outcome: 'ok' })
  })

  it('cost little without listeners', async () => {
    const gateway = await started({ upstreams: [notes()], guard: open })
    const first = await listening(gateway, '/events')
    const one = await client(gateway.url)
    await one.call('notes__slow', { ms: 1 })
    const { id } = await first.first(({ data }) => data.what === 'ended')
    first.leave()
    await first.ended
    await expect.poll(() => gateway.control.events.watched).toBe(false)
    await one.call('notes__slow', { ms: 2 })
    const second = await listening(gateway, '/events', { headers: { 'last-event-id': String(id) } })
    const begun = await second.first(({ data }) => data.what === 'begun')
    expect(begun.data).toMatchObject({ tool: 'notes__slow' })
    expect(begun.data.arguments).toBeUndefined()
  })

  it('report progress at most ten times a second', async () => {
    const gateway = await started({ upstreams: [asking()], guard: open })
    const stream = await listening(gateway, '/events')
    const one = await client(gateway.url)
    const startedAt = performance.now()
    await one.call('asking__steps', { steps: 50 }, { onProgress })
    const seconds = (performance.now() - startedAt) / 1_000
    await stream.first(({ data }) => data.what === 'ended')
    const progress = ofCalls(stream.events).filter(({ data }) => data.what === 'progress')
    expect(progress.length).toBeGreaterThan(3)
    expect(progress.length).toBeLessThanOrEqual(Math.ceil(seconds * 10) + 1)
    expect(progress[0]?.data).toMatchObject({ tool: 'asking__steps', total: 50, message: expect.any(String) })
  })
})

describe('the stream', () => {
  it('begins with its position, from which another stream resumes', async () => {
    const gateway = await started({ upstreams: [notes()], guard: open })
    const one = await client(gateway.url)
    await one.call('notes__slow', { ms: 1 })
    const first = await listening(gateway, '/events')
    const { id } = await first.first(({ event }) => event === 'open')
    expect(ofCalls(first.events)).toEqual([])
    first.leave()
    await first.ended
    await one.call('notes__slow', { ms: 2 })
    const second = await listening(gateway, '/events', { headers: { 'last-event-id': String(id) } })
    await second.first(({ data }) => data.what === 'ended')
    expect(second.events.map(({ event, data }) => data.what ?? event)).toEqual(['begun', 'ended'])
  })
})

describe('a flood of calls', () => {
  it('is reported as complete counts, and every reported call also ends', async () => {
    const flood = { ...open, audit: false, inFlightEach: 1_000, inFlightUpstream: 1_000 }
    const gateway = await started({ upstreams: [notes()], guard: flood })
    const stream = await listening(gateway, '/events')
    const one = await client(gateway.url)
    // These calls are reported singly, and end while only counts are reported.
    const long = Array.from({ length: 5 }, () => one.call('notes__slow', { ms: 1_500 }))
    await expect.poll(() => ofCalls(stream.events)).toHaveLength(5)
    const total = howMany(600, 2_000)
    const began = performance.now()
    for (let sent = 0; sent < total; sent += 50) {
      await Promise.all(Array.from({ length: 50 }, () => one.call('notes__read')))
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, began + sent - performance.now())))
    }
    await Promise.all(long)
    const sums = () => stream.events.filter(({ event }) => event === 'calls').map(({ data }) => data as unknown as Sum)
    const singly = (what: string) => ofCalls(stream.events).filter(({ data }) => data.what === what).length
    await expect.poll(() => singly('begun') + sum(sums().map(({ begun }) => begun))).toBe(total + 5)
    await expect.poll(() => singly('ended') + sum(sums().flatMap(({ ended }) => Object.values(ended)))).toBe(total + 5)
    const single = ofCalls(stream.events)
    expect(single.length).toBeLessThan(250 * (3 + (performance.now() - began) / 1_000))
    const begun = single.filter(({ data }) => data.what === 'begun').map(({ data }) => data.call)
    const over = new Set([
      ...single.filter(({ data }) => data.what === 'ended').map(({ data }) => data.call),
      ...sums().flatMap(({ over }) => over),
    ])
    expect(begun.filter((call) => !over.has(call))).toEqual([])
  })
})

type Sum = { readonly begun: number; readonly ended: Record<string, number>; readonly over: number[] }
const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0)

describe('events of approvals', () => {
  it('report the start and the end of each, once, with its decision and author', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const stream = await listening(gateway, '/events')
    const one = await client(gateway.url)
    const call = one.call('notes__write', { text: 'hi' }, { onProgress })
    const asked = await stream.first(({ event }) => event === 'approval')
    expect(asked.data).toMatchObject({ what: 'asked', tool: 'notes__write', server: 'notes', caller: 'local' })
    await ask(gateway, `/approvals/${asked.data.id}`, { body: { decision: 'deny' } })
    await call
    const over = await stream.first(({ data }) => data.what === 'over')
    expect(over.data).toMatchObject({
      id: asked.data.id,
      tool: 'notes__write',
      decision: 'deny',
      by: 'operator',
      state: 'denied',
    })
    await one.call('notes__read')
    await stream.first(({ data }) => data.tool === 'notes__read')
    expect(stream.events.filter(({ event }) => event === 'approval')).toHaveLength(2)
  })

  it('report the expiry of one that no caller waits for', async () => {
    const config = { upstreams: [notes()], approvals: { ...defaultApprovals, waitMs: 400 } }
    const gateway = await started(config, { patienceMs: 10 })
    const stream = await listening(gateway, '/events')
    await (await client(gateway.url)).call('notes__write', { text: 'hi' })
    const over = await stream.first(({ data }) => data.what === 'over')
    expect(over.data).toMatchObject({ state: 'expired' })
    expect(over.data.decision).toBeUndefined()
  })
})

it('of the log begin with the place at which they start, so that a quiet stream resumes without a gap', async () => {
  const gateway = await started({ upstreams: [notes()] })
  const one = await client(gateway.url)
  await one.call('notes__read')
  const stream = await listening(gateway, '/audit/follow')
  const { id = '' } = await stream.first(({ event }) => event === 'open')
  stream.leave()
  await stream.ended
  await one.call('notes__read')
  const resumed = await listening(gateway, '/audit/follow', { headers: { 'last-event-id': id } })
  const record = await resumed.first(({ event }) => event === 'record')
  expect([resumed.events[0], Number(record.id)]).toEqual([{ id, event: 'open', data: {} }, Number(id) + 1])
})

it('are refused before the stream begins if the query is invalid', async () => {
  const gateway = await started()
  expect(await ask(gateway, '/audit/follow?after=abc')).toMatchObject({
    status: 400,
    body: { error: '"after" must be a whole number' },
  })
})

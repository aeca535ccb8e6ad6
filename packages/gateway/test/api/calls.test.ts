// Running calls: listed, followed and cancelled.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { CallView } from '../../src/api/control/call-control.js'
import { listening } from '../support/event-stream.js'
import { ask, client, folder, pending, started, until, words } from '../support/running-gateway.js'
import { asking, notes, open } from '../support/upstream-configs.js'

const calls = async (gateway: { readonly port: number }) => (await ask(gateway, '/calls')).body.calls as CallView[]

describe('a running call', () => {
  it('UX-003 is listed with its caller, arguments, set and progress until it ends', async () => {
    const gateway = await started({ upstreams: [asking()], sets: { walk: ['asking__steps'] }, guard: open })
    const one = await client(`${gateway.url}/walk`)
    const before = Date.now()
    const call = one.call('asking__steps', { steps: 40 }, { onProgress: () => undefined })
    await until(async () => (await calls(gateway))[0]?.progress !== undefined)
    const [running] = await calls(gateway)
    expect(running).toMatchObject({
      tool: 'asking__steps',
      server: 'asking',
      caller: 'local',
      set: 'walk',
      arguments: { steps: 40 },
      progress: { total: 40, message: expect.stringMatching(/^step \d+$/) },
    })
    expect(running?.startedAt).toBeGreaterThanOrEqual(before)
    expect(running?.startedAt).toBeLessThanOrEqual(Date.now())
    await call
    expect(await calls(gateway)).toEqual([])
  })

  it('shows the approval that it waits for', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const stream = await listening(gateway, '/events')
    const one = await client(gateway.url)
    const call = one.call('notes__write', { text: 'hi' }, { onProgress: () => undefined })
    const { id } = await pending(gateway)
    expect((await calls(gateway))[0]).toMatchObject({ tool: 'notes__write', waiting: id })
    await stream.first(({ event, data }) => event === 'call' && data.what === 'waiting' && data.waiting === id)
    await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow' } })
    expect(words(await call)).toBe('written: hi')
    await stream.first(({ data }) => data.what === 'waiting' && data.waiting === undefined)
  })

  it('shows its arguments without the secrets that rules name, and at most 4 KiB of them', async () => {
    const policy = join(folder(), 'policy.yaml')
    writeFileSync(policy, 'rules: []\ndefault: allow\nredact: [text]\n')
    const gateway = await started({ upstreams: [notes(), asking()], policy, guard: { ...open, approvals: true } })
    const stream = await listening(gateway, '/events')
    const one = await client(gateway.url)
    await one.call('notes__write', { text: 'a secret' })
    const secret = await stream.first(({ data }) => data.what === 'begun' && data.tool === 'notes__write')
    expect(secret.data.arguments).toHaveProperty('text')
    expect(JSON.stringify(secret)).not.toContain('a secret')
    await one.call('asking__book', { at: 'x'.repeat(10_000) }).catch(() => undefined)
    const long = await stream.first(({ data }) => data.what === 'begun' && data.tool === 'asking__book')
    expect(long.data.cut).toBe(true)
    expect(JSON.stringify(long.data.arguments).length).toBeLessThan(4_200)
  })
})

describe.each(['2025-06-18', '2025-11-25', '2026-07-28'])('a call to a server of %s', (revision) => {
  it('UX-007 can be cancelled by a manager: its caller gets an error, its server a cancellation, and the log a record', async () => {
    const gateway = await started({ upstreams: [asking(revision)], guard: open })
    const one = await client(gateway.url)
    const call = one.call('asking__wait').then(
      () => 'a result',
      (thrown: Error) => thrown.message,
    )
    await until(async () => (await calls(gateway)).length === 1)
    const [running] = await calls(gateway)
    expect(await ask(gateway, `/calls/${running?.id}`, { method: 'DELETE' })).toMatchObject({
      status: 200,
      body: { id: running?.id, cancelled: true },
    })
    expect(await call).toContain('cancelled')
    await until(async () => {
      const counts = JSON.parse(words(await one.call('asking__counts'))) as { cancelled?: number }
      return counts.cancelled === 1
    })
    const { body } = await ask(gateway, '/audit?outcome=cancelled')
    expect(body.calls).toMatchObject([{ tool: 'asking__wait', outcome: 'cancelled' }])
    const acts = (await ask(gateway, '/audit?tool=toolwire/cancel-call')).body.calls
    expect(acts).toMatchObject([{ caller: 'operator', outcome: 'ok' }])
    expect((await ask(gateway, `/calls/${running?.id}`, { method: 'DELETE' })).status).toBe(404)
  })
})

describe('a call that ends while its cancellation is recorded', () => {
  it('does not count as cancelled, and the cancellation is recorded as failed', async () => {
    const gateway = await started({ upstreams: [asking()], guard: open })
    const one = await client(gateway.url)
    const stop = new AbortController()
    const call = one.call('asking__wait', {}, { signal: stop.signal }).catch(() => 'stopped')
    await until(async () => (await calls(gateway)).length === 1)
    const [running] = await calls(gateway)
    const log = gateway.control.log
    if (!log) throw new Error('There is a log')
    const append = log.append.bind(log)
    vi.spyOn(log, 'append').mockImplementation(async (record) => {
      await append(record)
      if (record.kind !== 'intent' || record.tool !== 'toolwire/cancel-call') return
      stop.abort()
      await until(() => gateway.control.underWay() === 0)
    })
    expect((await ask(gateway, `/calls/${running?.id}`, { method: 'DELETE' })).status).toBe(404)
    expect(await call).toBe('stopped')
    const acts = (await ask(gateway, '/audit?tool=toolwire/cancel-call')).body.calls
    expect(acts).toMatchObject([{ outcome: 'failed' }])
  })
})

describe('a call that waits for approval', () => {
  it('can be cancelled in the same way, and no longer needs a decision', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const one = await client(gateway.url)
    const call = one
      .call('notes__write', { text: 'hi' }, { onProgress: () => undefined })
      .catch((thrown: Error) => thrown.message)
    await pending(gateway)
    const [running] = await calls(gateway)
    await ask(gateway, `/calls/${running?.id}`, { method: 'DELETE' })
    expect(await call).toContain('cancelled')
    await until(async () => (await ask(gateway, '/approvals')).body.total === 0)
    expect((await ask(gateway, '/audit?tool=notes__write')).body.calls).toMatchObject([{ outcome: 'cancelled' }])
  })
})

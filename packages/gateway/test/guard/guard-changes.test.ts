// Changes to the guard while the gateway runs apply to new calls, and no running call is lost.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { server, tool } from 'toolwire'
import type { Client } from 'toolwire/client'
import { describe, expect, it } from 'vitest'
import { defaultApprovals, defaultGuard, type GatewayConfig } from '../../src/config/gateway-config.js'
import {
  ask,
  child,
  client,
  credentialsFor,
  doneBy,
  eventually,
  folder,
  http,
  moody,
  pending,
  program,
  started,
  until,
  upstreamConfig,
  words,
} from '../support/running-gateway.js'
import { listening } from '../support/upstream-fixture.js'

const notes = (...args: string[]) => upstreamConfig('notes', moody(program('notes-server.mjs'), ...args), { trusted: true })
const open = { ...defaultGuard, approvals: false, rate: false } as const
const onProgress = () => undefined
const twice = { calls: 2, per: 'hour' } as const

async function toTheLimit(one: Client): Promise<string[]> {
  const results: string[] = []
  for (const _ of [1, 2]) results.push(words(await one.call('notes__read')))
  expect(new Set(results)).toEqual(new Set(['nothing']))
  return [...results, words(await one.call('notes__read'))]
}

type Gateway = Awaited<ReturnType<typeof started>>
const guardBy = (gateway: Gateway, guard: Partial<GatewayConfig['guard']>) =>
  gateway.change({ ...gateway.config, guard: { ...gateway.config.guard, ...guard } })

describe('a changed guard', () => {
  it.each(['2025-11-25', '2026-07-28'])('limits calls by its new settings, for an existing client of %s', async (revision) => {
    const gateway = await started({ upstreams: [notes()], guard: open })
    const one = await client(gateway.url, { revision })
    for (const _ of [1, 2, 3]) expect(words(await one.call('notes__read'))).toBe('nothing')
    await guardBy(gateway, { rate: twice })
    expect((await toTheLimit(one)).at(-1)).toContain('too often')
    await guardBy(gateway, { rate: false })
    expect(words(await one.call('notes__read'))).toBe('nothing')
    expect(gateway.log.filter((line) => line.includes('started again'))).toEqual([])
  })

  it('asks for no approval of new calls, and a pending call is still decided, and made once', async () => {
    const file = join(folder(), 'notes')
    writeFileSync(file, '')
    const target = { ...child(program('notes-server.mjs')), env: { NOTES_FILE: file } }
    const gateway = await started({ upstreams: [upstreamConfig('notes', target as ReturnType<typeof child>, { trusted: true })] })
    const one = await client(gateway.url)
    const waits = one.call('notes__write', { text: 'asked' }, { onProgress })
    const { id } = await pending(gateway)
    await guardBy(gateway, { approvals: false })
    expect(words(await one.call('notes__write', { text: 'unasked' }))).toBe('written: unasked')
    expect(readFileSync(file, 'utf8')).toBe('unasked\n')
    expect((await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow' } })).status).toBe(200)
    expect(words(await waits)).toBe('written: asked')
    expect(readFileSync(file, 'utf8')).toBe('unasked\nasked\n')
    await guardBy(gateway, { approvals: true })
    const again = one.call('notes__write', { text: 'again' }, { onProgress })
    await ask(gateway, `/approvals/${(await pending(gateway)).id}`, { body: { decision: 'deny' } })
    expect((await again).isError).toBe(true)
  })

  it('lets a running call end, which no longer counts as concurrent', async () => {
    const gateway = await started({ upstreams: [notes()], guard: { ...open, inFlightUpstream: 1, queue: 0 } })
    const one = await client(gateway.url)
    await one.listTools()
    const slow = one.call('notes__slow', { ms: 5_000 })
    await eventually(() => gateway.control.underWay() === 1)
    expect((await one.call('notes__read')).isError).toBe(true)
    await guardBy(gateway, { inFlightUpstream: 2 })
    expect(words(await one.call('notes__read'))).toBe('nothing')
    expect(words(await slow)).toBe('done')
  })

  it('hides changed tools when pins are switched on, and shows them when they are switched off', async () => {
    const gateway = await started({ upstreams: [notes()], guard: { ...open, pins: true } })
    const one = await client(gateway.url)
    const names = async () => (await one.listTools({ fresh: true })).map(({ name }) => name)
    expect(await names()).toContain('notes__write')
    await guardBy(gateway, { pins: false })
    await gateway.change({ ...gateway.config, upstreams: [notes('changed')] })
    expect(await names()).toContain('notes__fresh')
    await guardBy(gateway, { pins: true })
    expect(await names()).toEqual(['notes__pid', 'notes__read', 'notes__slow'])
    const { waiting } = (await ask(gateway, '/pins')).body as { waiting: { tool: string }[] }
    expect(waiting.map(({ tool }) => tool).sort()).toEqual(['notes__fresh', 'notes__write'])
    await guardBy(gateway, { pins: false })
    expect(await names()).toContain('notes__fresh')
  })

  it('records no calls that begin while the log is switched off', async () => {
    const gateway = await started({ upstreams: [notes()], guard: { ...open, audit: false } })
    const one = await client(gateway.url)
    const recorded = async () => (await doneBy(gateway)).length
    await one.call('notes__read')
    expect(await recorded()).toBe(0)
    await guardBy(gateway, { audit: true })
    await one.call('notes__read')
    expect([await recorded(), gateway.health().audit.on]).toEqual([1, true])
    await guardBy(gateway, { audit: false })
    await one.call('notes__read')
    expect([await recorded(), gateway.health().audit.on]).toEqual([1, false])
  })

  it('sanitizes results, or leaves them unchanged', async () => {
    const text = 'plain\u001b[31mred'
    const red = tool({ description: 'Paints', hints: { readOnly: true }, run: () => text })
    const painter = server({ name: 'painter', version: '1.0.0', guard: { sanitize: false }, tools: { red } })
    const { url } = await listening(painter)
    const gateway = await started({ upstreams: [upstreamConfig('p', http(url))], guard: { ...open, sanitize: false } })
    const one = await client(gateway.url, { guard: { sanitize: false } })
    expect(words(await one.call('p__red'))).toBe(text)
    await guardBy(gateway, { sanitize: { rules: {} } })
    expect(words(await one.call('p__red'))).toBe('plainred')
  })

  it('limits how often lists are requested', async () => {
    const gateway = await started({ upstreams: [notes()], guard: { ...open, lists: false } })
    const one = await client(gateway.url, { revision: '2025-11-25' })
    for (const _ of [1, 2, 3]) await one.listTools({ fresh: true })
    await guardBy(gateway, { lists: twice })
    for (const _ of [1, 2]) await one.listTools({ fresh: true })
    await expect(one.listTools({ fresh: true })).rejects.toThrow('too often')
  })

  it('applies to a set that is added later, too', async () => {
    const gateway = await started({ upstreams: [notes()], guard: open })
    await guardBy(gateway, { rate: twice })
    await gateway.change({ ...gateway.config, sets: { some: ['notes__*'] } })
    const one = await client(`http://127.0.0.1:${gateway.port}/mcp/some`)
    expect((await toTheLimit(one)).at(-1)).toContain('too often')
  })

  it('keeps the tools listed during the change', async () => {
    const gateway = await started({ upstreams: [notes()], guard: open })
    const one = await client(gateway.url, { revision: '2025-11-25' })
    let changed = false
    const changing = guardBy(gateway, { lists: false }).then(() => {
      changed = true
    })
    while (!changed) expect(await one.listTools({ fresh: true })).toHaveLength(4)
    await changing
    expect(await one.listTools({ fresh: true })).toHaveLength(4)
  })
})

describe('changed settings of approvals', () => {
  it('apply to calls that begin afterwards', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const one = await client(gateway.url)
    const long = one.call('notes__write', { text: 'long' }, { onProgress })
    const { id } = await pending(gateway)
    await gateway.change({ ...gateway.config, approvals: { ...defaultApprovals, waitMs: 200 } })
    const short = await one.call('notes__write', { text: 'short' }, { onProgress })
    expect(words(short)).toMatch(/time|nobody|answer/i)
    await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow' } })
    expect(words(await long)).toBe('written: long')
  })

  it("may move them to the caller's own client, and back", async () => {
    const gateway = await started({ upstreams: [notes()] })
    let asked = 0
    const form = () => {
      asked++
      return { action: 'accept' as const, content: { decision: 'allow' } }
    }
    const one = await client(gateway.url, { answers: { form } })
    await gateway.change({ ...gateway.config, approvals: { ...defaultApprovals, ask: 'caller' } })
    expect(words(await one.call('notes__write', { text: 'hi' }))).toBe('written: hi')
    expect(asked).toBe(1)
    await gateway.change({ ...gateway.config, approvals: defaultApprovals })
    const call = one.call('notes__write', { text: 'ho' }, { onProgress })
    await ask(gateway, `/approvals/${(await pending(gateway)).id}`, { body: { decision: 'allow' } })
    expect([words(await call), asked]).toEqual(['written: ho', 1])
  })

  it("are an error if only the caller's client is asked and it cannot ask", async () => {
    const gateway = await started({ upstreams: [notes()], approvals: { ...defaultApprovals, ask: 'caller' } })
    const one = await client(gateway.url)
    expect((await one.call('notes__write', { text: 'hi' })).isError).toBe(true)
    expect((await ask(gateway, '/approvals')).body.approvals).toEqual([])
  })
})

it('a changed retention of the log applies at once', async () => {
  const gateway = await started({ upstreams: [notes()], guard: open })
  const one = await client(gateway.url)
  for (const _ of [1, 2, 3, 4]) await one.call('notes__read')
  const kept = async () => {
    const headers = credentialsFor(gateway)
    const text = await (await fetch(`http://127.0.0.1:${gateway.port}/api/v1/audit/export`, { headers })).text()
    return text.trim().split('\n')
  }
  expect(
    (await kept()).filter((line) => /"server":"notes",("serverIdentity":"[^"]+",)?"tool":"notes__read"/.test(line)),
  ).toHaveLength(8)
  await gateway.change({ ...gateway.config, retention: { records: 3 } })
  // The config change is recorded too, and the first line is the retention mark.
  // An export fails if records are dropped meanwhile.
  await until(async () => ((await kept().catch(() => undefined))?.length ?? Infinity) <= 1 + 3 + 2)
  expect((await ask(gateway, '/audit/verify')).body).toMatchObject({ ok: true })
})

// Changes to the guard while the gateway runs apply to new calls, and no running call is lost.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
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
    await guardBy(gateway, { inFlightUpstream: 4 })
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

describe('a call that waits', () => {
  const denying = JSON.stringify({
    rules: [{ name: 'none', when: { tool: 'notes__write' }, decision: 'deny' }],
    default: 'allow',
  })

  /** A gateway with a server that writes to a file, and whose starts wait as long as a second file exists. */
  async function waiting() {
    const directory = folder()
    const [file, closed, rules, changed] = ['notes', 'closed', 'rules.json', 'changed'].map((name) => join(directory, name)) as [
      string,
      string,
      string,
      string,
    ]
    writeFileSync(file, '')
    writeFileSync(rules, JSON.stringify({ rules: [], default: 'allow' }))
    const start = join(directory, 'start.mjs')
    const wait = `while (existsSync(${JSON.stringify(closed)})) await new Promise((resolve) => setTimeout(resolve, 5))`
    const mode = `if (existsSync(${JSON.stringify(changed)})) process.env.MODES = 'changed'`
    const load = `await import(${JSON.stringify(pathToFileURL(program('notes-server.mjs')).href)})`
    writeFileSync(start, `import { existsSync } from 'node:fs'\n${wait}\n${mode}\n${load}\n`)
    const target = { ...child(start), env: { NOTES_FILE: file } } as ReturnType<typeof child>
    const upstream = upstreamConfig('notes', target, { trusted: true, tools: { write: { arguments: { text: 'x' } } } })
    const gateway = await started({
      upstreams: [upstream],
      guard: { ...open, pins: true, inFlightUpstream: 1 },
      policy: rules,
      sets: { some: ['notes__*'] },
    })
    const { id: keyId, key } = (await ask(gateway, '/keys', { body: { caller: 'ada' } })).body as { id: string; key: string }
    const headers = { authorization: `Bearer ${key}` }
    const one = await client(`http://127.0.0.1:${gateway.port}/mcp/some`, { revision: '2025-11-25', headers })
    await one.listTools()
    return { gateway, upstream, one, keyId, file, closed, rules, changed, local: await client(gateway.url) }
  }
  type Waiting = Awaited<ReturnType<typeof waiting>>

  /** Ways to make a call wait, each with a function that ends the wait. */
  const waits: { readonly [name: string]: (at: Waiting) => Promise<() => void | Promise<void>> } = {
    async 'its turn'({ gateway, local }) {
      const stop = new AbortController()
      const slow = local.call('notes__slow', { ms: 60_000 }, { signal: stop.signal }).catch(() => undefined)
      await until(() => gateway.control.calls().length === 1)
      return async () => {
        stop.abort()
        await slow
      }
    },
    async 'the start of its server'({ gateway, local, closed }) {
      writeFileSync(closed, '')
      process.kill(Number(words(await local.call('notes__pid'))), 'SIGKILL')
      await until(() => gateway.control.servers()[0]?.state !== 'ready')
      return () => rmSync(closed)
    },
  }

  const changes: { readonly [name: string]: (at: Waiting) => Promise<unknown> } = {
    // Its audit record comes after that of the call, which has then passed the first policies.
    'its tool is switched off': ({ gateway }) => ask(gateway, '/tools/notes__write/state', { body: { state: 'off' } }),
    'the rules deny it': async ({ gateway, rules }) => {
      writeFileSync(rules, denying)
      await until(() => gateway.log.some((line) => line.includes('new ones are in force')))
    },
    'its key is revoked': ({ gateway, keyId }) => ask(gateway, `/keys/${keyId}`, { method: 'DELETE' }),
    // A reload ends only when the servers have started, or have failed to.
    'the config hides its tool': async ({ gateway, upstream }) => {
      void gateway.change({ ...gateway.config, upstreams: [{ ...upstream, tools: { write: { hidden: true } } }] })
      await until(() => gateway.control.tools().every(({ name }) => name !== 'notes__write'))
    },
    'the config fixes another argument': async ({ gateway, upstream }) => {
      void gateway.change({ ...gateway.config, upstreams: [{ ...upstream, tools: { write: { arguments: { text: 'y' } } } }] })
      await until(() => gateway.server.tools.get('notes__write')?.definition.fixedArguments?.text === 'y')
    },
    'its set is removed': async ({ gateway }) => {
      void gateway.change({ ...gateway.config, sets: {} })
      await until(async () => (await fetch(`http://127.0.0.1:${gateway.port}/mcp/some`, { method: 'POST' })).status === 404)
    },
  }

  const cases = Object.keys(waits).flatMap((wait) => Object.keys(changes).map((change) => [wait, change] as const))

  it.each(cases)('for %s is not made if %s meanwhile', async (wait, change) => {
    const at = await waiting()
    const end = await waits[wait]?.(at)
    const before = at.gateway.control.calls().length
    const call = at.one.call('notes__write').catch((thrown: Error) => thrown)
    await until(() => at.gateway.control.calls().length > before)
    await changes[change]?.(at)
    await end?.()
    await call
    await until(() => at.gateway.control.underWay() === 0)
    expect(readFileSync(at.file, 'utf8')).toBe('')
  })

  it.each([
    ['not made if the server redefines its tool', true, 'has changed since'],
    ['made if its tool is the same afterwards', false, 'written: x'],
  ])('CHG-005 for the start of its server is %s', async (_, isChanged, said) => {
    const at = await waiting()
    const end = await waits['the start of its server']?.(at)
    if (isChanged) writeFileSync(at.changed, '')
    const call = at.one.call('notes__write')
    await until(() => at.gateway.control.calls().length > 0)
    await end?.()
    expect(words(await call)).toContain(said)
    expect(readFileSync(at.file, 'utf8')).toBe(isChanged ? '' : 'x\n')
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

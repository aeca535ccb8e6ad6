// The offered tools, the rules about them, and changes to their state.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { defaultApprovals } from '../../src/config/gateway-config.js'
import type { ToolDetails } from '../../src/guard/tools/describe-tool.js'
import { listening } from '../support/event-stream.js'
import {
  ask,
  client,
  doneBy,
  eventually,
  folder,
  pending,
  started,
  storeIn,
  subscribed,
  words,
} from '../support/running-gateway.js'
import { notes, open } from '../support/upstream-configs.js'

type Gateway = { readonly port: number }
const tools = async (gateway: Gateway) => (await ask(gateway, '/tools')).body.tools as ToolDetails[]
const toolNamed = async (gateway: Gateway, name: string) => (await tools(gateway)).find((tool) => tool.name === name)
const setState = (gateway: Gateway, name: string, state: string) => ask(gateway, `/tools/${name}/state`, { body: { state } })

function policyFile(text: string): string {
  const path = join(folder(), 'policy.yaml')
  writeFileSync(path, text)
  return path
}

describe('UX-002 the tools', () => {
  it("are listed with their sets, when they were first seen, and their server's claims", async () => {
    const before = Date.now()
    const sets = { readers: ['notes__read', 'notes__p*'], all: ['*'] }
    const gateway = await started({ upstreams: [notes({ trusted: false })], sets })
    expect(await toolNamed(gateway, 'notes__read')).toMatchObject({
      server: 'notes',
      sets: ['readers', 'all'],
      trusted: false,
      state: 'on',
      waiting: false,
      annotations: { readOnlyHint: true },
      accepted: { at: expect.any(Number) },
    })
    const write = await toolNamed(gateway, 'notes__write')
    expect(write?.sets).toEqual(['all'])
    expect(write?.accepted?.by).toBeUndefined()
    expect(write?.firstSeenAt).toBeGreaterThanOrEqual(before)
    expect(write?.firstSeenAt).toBeLessThanOrEqual(Date.now())
  })

  it('are listed with the effect of the rules, for everyone and for a local program', async () => {
    const policy = policyFile(`rules:
  - { name: nobody reads, when: { tool: notes__read }, decision: deny }
  - { name: short notes, when: { tool: notes__write, arguments: { text: { maxLength: 5 } } }, decision: allow }
  - { name: the nightly job, when: { tool: notes__slow, caller: nightly }, decision: allow }
  - { name: process ids, when: { tool: notes__pid }, decision: allow }
  - { name: the rest, decision: ask }
`)
    const gateway = await started({ upstreams: [notes()], policy })
    const decisions = Object.fromEntries((await tools(gateway)).map(({ name, decision }) => [name, decision]))
    expect(decisions).toEqual({
      notes__read: { anyone: 'deny', rule: 'nobody reads' },
      notes__write: { anyone: 'depends', rule: 'the rest' },
      notes__slow: { anyone: 'depends', rule: 'the rest' },
      notes__pid: { anyone: 'allow', rule: 'process ids' },
    })
  })

  it('have no rule in that list without a policy', async () => {
    const gateway = await started({ upstreams: [notes()] })
    expect((await toolNamed(gateway, 'notes__read'))?.decision).toEqual({ anyone: 'allow' })
    expect((await toolNamed(gateway, 'notes__write'))?.decision).toEqual({ anyone: 'ask' })
  })
})

describe('a disabled tool', () => {
  it('is neither listed nor callable, clients are notified, and it stays disabled after a restart', async () => {
    const dataDir = join(folder(), 'data')
    const gateway = await started({ upstreams: [notes()], guard: open, dataDir }, { store: await storeIn(dataDir) })
    const stream = await listening(gateway, '/events')
    const one = await client(gateway.url)
    const names = async () => (await one.listTools({ fresh: true })).map(({ name }) => name)
    expect(await names()).toContain('notes__write')
    const changes: string[] = []
    one.onChange(({ kind }) => changes.push(kind))
    await subscribed(gateway.server)
    expect(changes).toEqual([])
    expect(await setState(gateway, 'notes__write', 'off')).toMatchObject({ status: 200, body: { state: 'off' } })
    await eventually(() => changes.includes('tools'))
    expect(await names()).not.toContain('notes__write')
    const refused = await ask(gateway, '/tools/notes__write/call', { body: { arguments: { text: 'x' } } })
    expect(refused).toMatchObject({ status: 422, body: { error: expect.stringContaining('Unknown tool: notes__write') } })
    expect(words(await one.call('notes__read'))).toBe('nothing')
    expect((await toolNamed(gateway, 'notes__write'))?.state).toBe('off')
    await stream.first(({ event, data }) => event === 'config' && data.tool === 'notes__write' && data.state === 'off')
    const calls = await doneBy(gateway)
    expect(calls).toMatchObject([
      { tool: 'notes__read', outcome: 'ok' },
      { tool: 'notes__write', outcome: 'refused', reason: 'unknown-tool' },
      { tool: 'toolwire/set-tool-state', caller: 'operator', outcome: 'ok' },
    ])
    await gateway.close({ drainMs: 0 })
    const again = await started({ upstreams: [notes()], guard: open, dataDir }, { store: await storeIn(dataDir) })
    const other = await client(again.url)
    expect((await other.listTools()).map(({ name }) => name)).not.toContain('notes__write')
    await setState(again, 'notes__write', 'on')
    await other.listTools({ fresh: true })
    expect(words(await other.call('notes__write', { text: 'x' }))).toBe('written: x')
  })

  it('is not called after a pending approval either, which can no longer be allowed and stays unused', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const one = await client(gateway.url)
    const call = one.call('notes__write', { text: 'x' }, { onProgress: () => undefined })
    call.catch(() => undefined)
    const { id, caller } = await pending(gateway)
    await setState(gateway, 'notes__write', 'off')
    expect((await ask(gateway, '/approvals')).body.approvals).toMatchObject([{ id, changed: true, changes: ['state'] }])
    const refused = await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow' } })
    expect(refused).toMatchObject({ status: 409, body: { changes: ['state'] } })
    const byWebhook = await gateway.control.decisions.decide(id, 'allow', { by: 'webhook', toolMayBeAbsent: true })
    expect(byWebhook).toEqual({ done: false, state: 'changed', changes: ['state'] })
    // An attempt of the caller is refused as such, and recorded.
    const byItsCaller = await gateway.control.decisions.decide(id, 'allow', { by: 'webhook', behind: caller })
    expect(byItsCaller).toEqual({ done: false, state: 'own' })
    const attempts = async () => (await ask(gateway, '/audit?tool=toolwire/approval')).body.calls
    await expect.poll(attempts).toHaveLength(1)
    // Another gateway may still allow it.
    await gateway.control.store.approvals.decide(id, 'allow', 'ada')
    await expect(call).rejects.toThrow('Unknown tool: notes__write')
    expect((await gateway.control.store.approvals.find(id))?.is.state).toBe('allowed')
  })

  it.each(['off', 'hidden'])("is not called if the caller's own client allows it afterwards: %s", async (state) => {
    const gateway = await started({ upstreams: [notes()], approvals: { ...defaultApprovals, ask: 'caller' } })
    const form = async () => {
      await setState(gateway, 'notes__write', state)
      return { action: 'accept' as const, content: { decision: 'allow' } }
    }
    const one = await client(gateway.url, { revision: '2025-11-25', answers: { form } })
    await expect(one.call('notes__write', { text: 'x' })).rejects.toThrow('Unknown tool: notes__write')
  })

  it('is not called after a wait in the queue', async () => {
    const gateway = await started({ upstreams: [notes()], guard: { ...open, inFlightUpstream: 1 } })
    const one = await client(gateway.url)
    const slow = one.call('notes__slow', { ms: 60_000 })
    slow.catch(() => undefined)
    await eventually(() => gateway.control.calls().length === 1)
    const call = one.call('notes__write', { text: 'x' })
    call.catch(() => undefined)
    await eventually(() => gateway.control.calls().length === 2)
    await setState(gateway, 'notes__write', 'off')
    const running = gateway.control.calls().find(({ tool }) => tool === 'notes__slow')
    gateway.control.cancel(running?.id ?? 0, 'ada')
    await expect(call).rejects.toThrow('Unknown tool: notes__write')
  })

  it('cannot be an unknown tool, nor get an unknown state', async () => {
    const gateway = await started({ upstreams: [notes()] })
    expect((await setState(gateway, 'none', 'off')).status).toBe(404)
    expect((await setState(gateway, 'notes__read', 'maybe')).status).toBe(400)
    expect(await gateway.control.setToolState('none', 'off', 'ada')).toBe(false)
    // The tool disappears while the record is written.
    vi.spyOn(gateway.control, 'setToolState').mockResolvedValue(false)
    expect((await setState(gateway, 'notes__read', 'off')).status).toBe(404)
    expect(await doneBy(gateway)).toMatchObject([{ tool: 'toolwire/set-tool-state', outcome: 'failed' }])
  })
})

describe('a hidden tool', () => {
  it('is not listed, but callable if a rule with its name allows it', async () => {
    const policy = policyFile(`rules:
  - { name: named, when: { tool: notes__read }, decision: allow }
default: allow
`)
    const gateway = await started({ upstreams: [notes()], policy, guard: open })
    const one = await client(gateway.url)
    await setState(gateway, 'notes__read', 'hidden')
    await setState(gateway, 'notes__pid', 'hidden')
    const names = (await one.listTools({ fresh: true })).map(({ name }) => name)
    expect(names).toEqual(['notes__slow', 'notes__write'])
    const called = (name: string) => ask(gateway, `/tools/${name}/call`, { body: {} })
    expect((await called('notes__read')).body).toMatchObject({ isError: false, content: [{ text: 'nothing' }] })
    expect(await called('notes__pid')).toMatchObject({
      status: 422,
      body: { error: expect.stringContaining('Unknown tool: notes__pid') },
    })
  })
})

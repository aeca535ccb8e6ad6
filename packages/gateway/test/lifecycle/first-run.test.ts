// A user's first config without rules: which calls run at once, which wait, and the messages for waiting callers.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultApprovals, defaultGuard, type UpstreamConfig } from '../../src/config/gateway-config.js'
import type { ToolDetails } from '../../src/guard/tools/describe-tool.js'
import { ask, client, doneBy, eventually, folder, pending, started, until, words } from '../support/running-gateway.js'
import { notes as trusted } from '../support/upstream-configs.js'

const notes = (more: Partial<UpstreamConfig> = {}) => trusted({ trusted: false, ...more })
type Given = Parameters<typeof started>[0]
const toolsOf = async (gateway: { port: number }) => (await ask(gateway, '/tools')).body.tools as ToolDetails[]
const toolOf = async (gateway: { port: number }, name: string) => (await toolsOf(gateway)).find((tool) => tool.name === name)
const callsOf = (gateway: { port: number }) => doneBy<Record<string, unknown>>(gateway)

describe('a tool that an untrusted server declares read-only', () => {
  it('runs, and the record says that only this claim has allowed it', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const one = await client(gateway.url)
    expect(words(await one.call('notes__read'))).toBe('nothing')
    expect(await callsOf(gateway)).toMatchObject([{ tool: 'notes__read', outcome: 'ok', ground: 'claim' }])
    expect(await ask(gateway, '/audit/verify')).toMatchObject({ body: { ok: true } })
    expect(await toolOf(gateway, 'notes__read')).toMatchObject({
      claims: { readOnly: true },
      hintBasis: { readOnly: 'claimed', destructive: 'unsaid' },
      decision: { anyone: 'allow', ground: 'claim' },
    })
    const explained = await ask(gateway, '/policy/explain', { body: { tool: 'notes__read' } })
    expect(explained.body).toMatchObject({ decision: 'allow', why: expect.stringContaining('not verified') })
  })

  it('has its result sanitized', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const one = await client(gateway.url)
    const call = one.call('notes__write', { text: 'hi\u001b[8m there' }, { onProgress: () => undefined })
    await ask(gateway, `/approvals/${(await pending(gateway)).id}`, { body: { decision: 'allow' } })
    await call
    expect(words(await one.call('notes__read'))).toBe('hi there')
  })

  it.each<[string, Given]>([
    ['the settings say so', { upstreams: [notes()], guard: { ...defaultGuard, readOnlyClaims: 'wait' } }],
    ['the operator says that it changes something', { upstreams: [notes({ tools: { read: { hints: { readOnly: false } } } })] }],
    ['it is destructive too', { upstreams: [notes({ tools: { read: { hints: { destructive: true } } } })] }],
  ])('waits if %s', async (_, given) => {
    const gateway = await started(given, { patienceMs: 10 })
    const one = await client(gateway.url)
    expect(words(await one.call('notes__read'))).toContain('waits for approval')
  })

  it('waits if the rules have a default, and runs if no rule applies', async () => {
    const file = join(folder(), 'policy.yaml')
    writeFileSync(file, 'rules: []\ndefault: ask\n')
    const gateway = await started({ upstreams: [notes()], policy: file }, { patienceMs: 10 })
    const one = await client(gateway.url)
    expect(words(await one.call('notes__read'))).toContain('waits for approval')
    writeFileSync(file, 'rules:\n  - { name: no writing, when: { tool: notes__write }, decision: deny }\n')
    await until(
      async () =>
        (await ask(gateway, '/policy')).body.fallback !== undefined &&
        (await toolOf(gateway, 'notes__read'))?.decision.anyone === 'allow',
    )
    expect(words(await one.call('notes__read'))).toBe('nothing')
  })

  it('is not based on a claim if the server is trusted, or the operator sets the hint', async () => {
    const withHints = notes({ id: 'said', prefix: 'said', tools: { read: { rename: 'look', hints: { readOnly: true } } } })
    const gateway = await started({ upstreams: [trusted(), withHints] })
    const one = await client(gateway.url)
    await one.call('notes__read')
    await one.call('said__look')
    for (const call of await callsOf(gateway)) expect(call).not.toHaveProperty('ground')
    expect((await toolOf(gateway, 'notes__read'))?.hintBasis.readOnly).toBe('trusted')
    expect((await toolOf(gateway, 'said__look'))?.hintBasis.readOnly).toBe('trusted')
    expect((await toolOf(gateway, 'notes__read'))?.decision).toEqual({ anyone: 'allow' })
  })
})

describe('a call that may change something', () => {
  it('waits, and its caller learns at once how and where it is decided', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const one = await client(gateway.url)
    const messages: (string | undefined)[] = []
    const call = one.call('notes__write', { text: 'hi' }, { onProgress: ({ message }) => messages.push(message) })
    const { id } = await pending(gateway)
    const command = `toolwire approve ${id} --gateway http://127.0.0.1:${gateway.port}`
    expect((await eventually(() => messages[0])) ?? '').toContain(command)
    await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow' } })
    expect(words(await call)).toBe('written: hi')
  })

  it('is announced in the log of a client that has asked for one', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const logs: unknown[] = []
    const one = await client(gateway.url, { logLevel: 'info', onLog: ({ data }) => logs.push(data) })
    const call = one.call('notes__write', { text: 'hi' }, { onProgress: () => undefined })
    const { id } = await pending(gateway)
    expect(await eventually(() => logs[0])).toMatchObject({ approval: id, message: expect.stringContaining('toolwire approve') })
    await ask(gateway, `/approvals/${id}`, { body: { decision: 'deny' } })
    await call
  })

  it('is held for less time than most clients wait, then explains the decision, and is made at a retry', async () => {
    const gateway = await started({ upstreams: [notes()], approvals: { ...defaultApprovals, holdMs: 50 } })
    const one = await client(gateway.url)
    const again = () => one.call('notes__write', { text: 'hi' }, { onProgress: () => undefined })
    const refused = await again()
    const { id, held } = await pending(gateway)
    expect([refused.isError, held]).toEqual([true, false])
    expect(words(refused)).toContain(`toolwire approve ${id}`)
    expect(words(refused)).toContain('call again with the same arguments')
    await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow' } })
    expect(words(await again())).toBe('written: hi')
    expect((await again()).isError).toBe(true)
  })

  it('waits to the end for a client with a long timeout', async () => {
    const gateway = await started({ upstreams: [notes()], approvals: { ...defaultApprovals, holdMs: 1 } })
    const one = await client(gateway.url)
    const call = one.call('notes__write', { text: 'hi' }, { meta: { 'dev.toolwire/patient': true } })
    const { id, held } = await pending(gateway)
    expect(held).toBe(true)
    await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow' } })
    expect(words(await call)).toBe('written: hi')
  })

  it("is a line in the gateway's log, with the commands, and another when it is decided", async () => {
    const gateway = await started({ upstreams: [notes()] })
    const one = await client(gateway.url)
    const call = one.call('notes__write', { text: 'hi' }, { onProgress: () => undefined })
    const { id } = await pending(gateway)
    const line = await eventually(() => gateway.log.find((words) => words.startsWith('notes__write waits for approval')))
    const where = `--gateway http://127.0.0.1:${gateway.port}`
    expect(line).toContain('called by local')
    expect(line).toContain(`toolwire approve ${id.slice(0, 8)} ${where}`)
    expect(line).toContain(`toolwire deny ${id.slice(0, 8)} ${where}`)
    await ask(gateway, `/approvals/${id}`, { body: { decision: 'deny' } })
    await call
    expect(gateway.log).toContain('notes__write, called by local (unverified): denied by operator')
  })
})

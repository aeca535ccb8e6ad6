// A call on its way from its caller through rules and approval to the upstream process.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AuditRecord } from 'toolwire/guard'
import { describe, expect, it } from 'vitest'
import { defaultApprovals, type UpstreamConfig } from '../../src/config/gateway-config.js'
import {
  ask,
  child,
  client,
  credentialsFor,
  doneBy,
  eventually,
  folder,
  pending,
  program,
  started,
  upstreamConfig,
  words,
} from '../support/running-gateway.js'

const notes = (more: Partial<UpstreamConfig> = {}, file?: string) => {
  const target = child(program('notes-server.mjs'))
  return upstreamConfig('notes', file ? ({ ...target, env: { NOTES_FILE: file } } as typeof target) : target, {
    trusted: true,
    ...more,
  })
}
const onProgress = () => undefined

describe.each(['2024-11-05', '2025-06-18', '2025-11-25', '2026-07-28'])('a caller of %s', (revision) => {
  it('UX-004 UX-005 gets an answer at once from a read-only tool, and after an approval from others', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const one = await client(gateway.url, { revision })
    expect(words(await one.call('notes__read'))).toBe('nothing')
    const call = one.call('notes__write', { text: 'hi' }, { onProgress })
    const waiting = await pending(gateway)
    expect(waiting).toMatchObject({ tool: { name: 'notes__write' }, arguments: { text: 'hi' }, held: true })
    const { status, body } = await ask(gateway, `/approvals/${waiting.id}`, { body: { decision: 'allow' } })
    expect([status, body.by]).toEqual([200, 'operator'])
    expect(words(await call)).toBe('written: hi')
  })
})

describe('a call that needs approval', () => {
  it('UX-001 UX-007 does not reach the upstream after a denial, and its caller receives the reason', async () => {
    const file = join(folder(), 'notes')
    writeFileSync(file, '')
    const gateway = await started({ upstreams: [notes({}, file)] })
    const one = await client(gateway.url)
    const call = one.call('notes__write', { text: 'hi' }, { onProgress })
    const { id } = await pending(gateway)
    await ask(gateway, `/approvals/${id}`, { body: { decision: 'deny', reason: 'not on a Sunday' } })
    const result = await call
    expect(result.isError).toBe(true)
    expect(words(result)).toContain('not on a Sunday')
    expect(readFileSync(file, 'utf8')).toBe('')
  })

  it('is decided once: a second decision returns the first one', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const one = await client(gateway.url)
    const call = one.call('notes__write', { text: 'hi' }, { onProgress })
    const { id } = await pending(gateway)
    const answers = await Promise.all(
      ['deny', 'allow', 'deny'].map((decision) => ask(gateway, `/approvals/${id}`, { body: { decision } })),
    )
    const first = answers.find(({ status }) => status === 200)
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    const late = await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow' } })
    expect(late.body).toMatchObject({ by: 'operator', decision: first?.body.decision })
    expect((await call).isError === true).toBe(first?.body.decision === 'deny')
    expect((await ask(gateway, '/approvals/nothing', { body: { decision: 'allow' } })).status).toBe(404)
  })

  it('is refused for now if the caller cannot be held, and an identical retry passes after the approval, once', async () => {
    const file = join(folder(), 'notes')
    const gateway = await started({ upstreams: [notes({}, file)] }, { patienceMs: 50 })
    const one = await client(gateway.url)
    const refused = await one.call('notes__write', { text: 'hi' })
    expect(refused.isError).toBe(true)
    const { id, held } = await pending(gateway)
    expect(held).toBe(false)
    expect(words(refused)).toContain(id)
    await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow' } })
    expect(words(await one.call('notes__write', { text: 'other' }))).toContain('waits for approval')
    expect(words(await one.call('notes__write', { text: 'hi' }))).toBe('written: hi')
    expect((await one.call('notes__write', { text: 'hi' })).isError).toBe(true)
    expect(readFileSync(file, 'utf8')).toBe('hi\n')
  })

  it('passes at once if it is approved while its caller is still held', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const one = await client(gateway.url)
    const call = one.call('notes__write', { text: 'hi' })
    const { id } = await pending(gateway)
    await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow' } })
    expect(words(await call)).toBe('written: hi')
  })

  it('needs none during a standing approval, and needs one again after its revocation', async () => {
    const gateway = await started({ upstreams: [notes()] }, { patienceMs: 50 })
    const one = await client(gateway.url)
    const call = one.call('notes__write', { text: '1' }, { onProgress })
    const { id } = await pending(gateway)
    await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow', always: { forMs: 60_000 } } })
    expect(words(await call)).toBe('written: 1')
    expect(words(await one.call('notes__write', { text: '2' }))).toBe('written: 2')
    const { grants } = (await ask(gateway, '/grants')).body as { grants: { id: string }[] }
    expect((await ask(gateway, `/grants/${grants[0]?.id}`, { method: 'DELETE' })).status).toBe(200)
    expect((await one.call('notes__write', { text: '3' })).isError).toBe(true)
  })

  it("is approved through the caller's own client if so configured", async () => {
    const gateway = await started({ upstreams: [notes()], approvals: { ...defaultApprovals, ask: 'both' } })
    const asked: string[] = []
    const form = ({ message }: { message: string }) => {
      asked.push(message)
      return { action: 'accept' as const, content: { decision: 'allow' } }
    }
    const one = await client(gateway.url, { answers: { form } })
    expect(words(await one.call('notes__write', { text: 'hi' }))).toBe('written: hi')
    expect(asked).toHaveLength(1)
    const other = await client(gateway.url)
    const call = other.call('notes__write', { text: 'ho' }, { onProgress })
    await ask(gateway, `/approvals/${(await pending(gateway)).id}`, { body: { decision: 'allow' } })
    expect(words(await call)).toBe('written: ho')
  })

  it.each(['2025-11-25', '2026-07-28'])("is recorded with the answer of the caller's own client, of %s", async (revision) => {
    for (const [audience, decision] of [
      ['caller', 'allow'],
      ['both', 'deny'],
    ] as const) {
      const gateway = await started({ upstreams: [notes()], approvals: { ...defaultApprovals, ask: audience } })
      const form = () => ({ action: 'accept' as const, content: { decision } })
      const one = await client(gateway.url, { revision, answers: { form } })
      expect((await one.call('notes__write', { text: 'hi' })).isError).toBe(decision === 'deny')
      const [approval, ...more] = await doneBy<{ sequence: number; outcome: string }>(gateway, '?tool=toolwire/approval')
      expect([approval, more]).toMatchObject([{ caller: 'local', outcome: 'ok' }, []])
      const { record } = (await ask(gateway, `/audit/${approval?.sequence}`)).body as { record: { arguments: { call: string } } }
      expect(record.arguments).toMatchObject({ asked: 'caller', decision, tool: 'notes__write', caller: 'local' })
      const calls = await doneBy<{ call: string }>(gateway, '?tool=notes__write')
      expect(calls.map(({ call }) => call)).toContain(record.arguments.call)
    }
  })

  it("is not made if the answer of the caller's own client cannot be recorded", async () => {
    const file = join(folder(), 'notes')
    writeFileSync(file, '')
    const gateway = await started({ upstreams: [notes({}, file)], approvals: { ...defaultApprovals, ask: 'caller' } })
    const { audit } = gateway.control.store
    const append = audit.append.bind(audit)
    Object.assign(audit, {
      append: async (record: AuditRecord) => {
        if (record.tool === 'toolwire/approval') throw new Error('the disk is full')
        await append(record)
      },
    })
    const one = await client(gateway.url, { answers: { form: () => ({ action: 'accept', content: { decision: 'allow' } }) } })
    expect((await one.call('notes__write', { text: 'hi' })).isError).toBe(true)
    expect(readFileSync(file, 'utf8')).toBe('')
  })

  it('is recorded with its decision and author, and the log verifies', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const one = await client(gateway.url)
    const call = one.call('notes__write', { text: 'hi' }, { onProgress })
    const { id } = await pending(gateway)
    const always = { forMs: 60_000, arguments: { properties: { text: { const: 'hi' } } } }
    await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow', always } })
    await call
    const calls = await doneBy<{ sequence: number; call: string; tool: string; outcome: string }>(gateway)
    expect(calls.map(({ tool, outcome }) => [tool, outcome])).toEqual([
      ['toolwire/use-approval', 'ok'],
      ['toolwire/approval', 'ok'],
      ['notes__write', 'ok'],
    ])
    const recorded = async (at: number) => {
      const { body } = await ask(gateway, `/audit/${calls[at]?.sequence}`)
      return (body as { record: { arguments: object } }).record.arguments
    }
    expect(await recorded(0)).toEqual({ id, tool: 'notes__write', call: calls[2]?.call })
    expect(await recorded(1)).toMatchObject({ id, decision: 'allow', always })
    expect(await ask(gateway, '/audit/verify')).toMatchObject({ status: 200, body: { ok: true } })
    const headers = credentialsFor(gateway)
    const lines = await (await fetch(`http://127.0.0.1:${gateway.port}/api/v1/audit/export`, { headers })).text()
    expect(
      lines
        .trim()
        .split('\n')
        .filter((line) => !line.includes('"caller":"toolwire"')),
    ).toHaveLength(6)
  })
})

describe('rules', () => {
  const policy = (decision: string) =>
    ['rules:', '  - name: writing', '    when: { tool: notes__write }', `    decision: ${decision}`, 'default: allow', ''].join(
      '\n',
    )

  it('apply after a change while the gateway runs, clients are notified, and the last valid ones stay', async () => {
    const file = join(folder(), 'policy.yaml')
    writeFileSync(file, policy('allow'))
    const gateway = await started({ upstreams: [notes()], policy: file })
    const one = await client(gateway.url)
    const changes: string[] = []
    one.onChange(({ kind }) => changes.push(kind))
    expect(words(await one.call('notes__write', { text: 'hi' }))).toBe('written: hi')
    writeFileSync(file, policy('deny'))
    await eventually(() => changes.includes('tools'))
    // The first notifications may still be from the start.
    const offered = async () => (await one.listTools({ fresh: true })).map(({ name }) => name)
    await expect.poll(offered).not.toContain('notes__write')
    writeFileSync(file, 'rules: [')
    await eventually(() => gateway.health().troubles.some((words) => words.startsWith('policy')))
    expect(gateway.health().status).toBe('degraded')
    expect((await ask(gateway, '/policy')).body.trouble).toContain('policy.yaml')
    await expect(one.call('notes__write', { text: 'hi' })).rejects.toThrow()
    const heardSoFar = changes.length
    writeFileSync(file, policy('allow'))
    await eventually(() => gateway.health().status === 'ok' && changes.length > heardSoFar)
    expect(words(await one.call('notes__write', { text: 'again' }))).toBe('written: again')
  })

  it('are explained without a call', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const { body } = await ask(gateway, '/policy/explain', { body: { tool: 'notes__write', arguments: { text: 'x' } } })
    expect(body).toMatchObject({ decision: 'ask' })
    expect((await ask(gateway, '/policy/explain', { body: { tool: 'notes__read' } })).body).toMatchObject({ decision: 'allow' })
  })
})

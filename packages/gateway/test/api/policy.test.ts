// The rules in the management API: read, tried out and saved.
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { PolicyPreview, PolicyView } from '../../src/guard/policy/policy-editor.js'
import { listening } from '../support/event-stream.js'
import { ask, client, folder, started, words } from '../support/running-gateway.js'
import { notes, open } from '../support/upstream-configs.js'

const text = `# Notes
rules:
  - name: short
    when: { tool: notes__write, arguments: { text: { maxLength: 5 } } }
    decision: allow
  - name: reading
    when: { tool: notes__read }
    decision: allow
default: deny
cases:
  - { call: { tool: notes__read }, expect: allow, rule: reading }
  - { name: long, call: { tool: notes__write, arguments: { text: 123456 } }, expect: deny }
`

type Gateway = { readonly port: number }
const view = async (gateway: Gateway) => (await ask(gateway, '/policy')).body as unknown as PolicyView
const preview = async (gateway: Gateway, given: string) =>
  (await ask(gateway, '/policy/preview', { body: { text: given } })).body as unknown as PolicyPreview
const save = (gateway: Gateway, given: string, version: string) =>
  ask(gateway, '/policy', { method: 'PUT', body: { text: given, version } })

async function ruled() {
  const policy = join(folder(), 'policy.yaml')
  writeFileSync(policy, text)
  return { policy, gateway: await started({ upstreams: [notes()], policy, guard: open }) }
}

describe('the rules', () => {
  it('count calls of a tool that is denied to all and hidden from callers', async () => {
    const policy = join(folder(), 'policy.yaml')
    writeFileSync(policy, 'rules:\n  - { name: never, when: { tool: notes__write }, decision: deny }\ndefault: allow\n')
    const gateway = await started({ upstreams: [notes()], policy, guard: open })
    const one = await client(gateway.url, { listFirst: false })
    await expect(one.call('notes__write', { text: 'x' })).rejects.toThrow('Unknown tool')
    expect((await view(gateway)).rules).toMatchObject([{ name: 'never', hits: 1 }])
  })

  it('are shown with their lines, their test cases, and how often each has decided', async () => {
    const { policy, gateway } = await ruled()
    const one = await client(gateway.url)
    await one.call('notes__write', { text: 'hi' })
    await one.call('notes__read')
    const before = Date.now()
    await one.call('notes__read')
    await one.call('notes__write', { text: 'too long' }).catch(() => undefined)
    await ask(gateway, '/policy/explain', { body: { tool: 'notes__read' } })
    const { file, text: shown, rules, fallback, cases } = await view(gateway)
    expect([file, shown]).toEqual([policy, text])
    expect(rules).toMatchObject([
      { name: 'short', line: 3, decision: 'allow', hits: 1 },
      { name: 'reading', line: 6, decision: 'allow', hits: 2 },
    ])
    expect(rules[1]?.lastAt).toBeGreaterThanOrEqual(before)
    expect(fallback).toMatchObject({ decision: 'deny', hits: 1 })
    expect(cases).toEqual([
      {
        name: 'a call to notes__read',
        tool: 'notes__read',
        ok: true,
        expected: 'allow by reading',
        actual: 'allow by reading',
        line: 11,
      },
      { name: 'long', tool: 'notes__write', ok: true, expected: 'deny', actual: 'deny', line: 12 },
    ])
  })

  it('are empty if the config names no file, and cannot be saved there', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const { version, ...rest } = await view(gateway)
    expect(rest).toMatchObject({ text: '', rules: [], cases: [], fallback: { decision: 'depends' } })
    expect(rest.file).toBeUndefined()
    expect(await save(gateway, text, version)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('toolwire.policy') },
    })
  })
})

describe('a draft of rules', () => {
  it('is tried without any effect: the result shows the changes for each tool and caller', async () => {
    const { gateway } = await ruled()
    const { version } = await view(gateway)
    const same = await preview(gateway, `${text}# and a remark\n`)
    expect(same).toMatchObject({ ok: true, problems: [], changes: [] })
    const other = await preview(
      gateway,
      text
        .replace('maxLength: 5', 'maxLength: 6')
        .replace('default: deny', 'default: ask')
        .replace('expect: deny', 'expect: ask'),
    )
    expect(other.ok).toBe(true)
    expect(other.changes).toEqual([
      { tool: 'notes__pid', caller: 'local', before: 'deny', after: 'ask' },
      { tool: 'notes__slow', caller: 'local', before: 'deny', after: 'ask' },
      { tool: 'notes__write', caller: 'local', before: 'depends', after: 'depends' },
    ])
    expect(await view(gateway)).toMatchObject({ version, text })
  })

  it('is tried for earlier callers, too', async () => {
    const { gateway } = await ruled()
    await (await client(gateway.url)).call('notes__read')
    const forNobody = text
      .replace('when: { tool: notes__read }', 'when: { tool: notes__read, caller: nightly }')
      .replace(/cases:.*/s, '')
    const { changes } = await preview(gateway, forNobody)
    expect(changes).toEqual([{ tool: 'notes__read', caller: 'local', before: 'allow', after: 'deny' }])
  })

  it('gets its errors with lines, and its failing test cases', async () => {
    const { gateway } = await ruled()
    const broken = await preview(gateway, text.replace('decision: allow', 'decision: perhaps'))
    expect(broken).toMatchObject({ ok: false, problems: [{ line: 5, at: '/rules/0/decision' }], cases: [] })
    expect((await preview(gateway, 'rules: [')).problems.length).toBeGreaterThan(0)
    const failing = await preview(
      gateway,
      text.replace('tool: notes__read }\n    decision: allow', 'tool: notes__read }\n    decision: deny'),
    )
    expect(failing.ok).toBe(false)
    expect(failing.cases[0]).toMatchObject({ ok: false, expected: 'allow by reading', actual: 'deny by reading', line: 11 })
  })
})

describe('a save', () => {
  it('applies other rules at once, whole, and records the author', async () => {
    const { policy, gateway } = await ruled()
    chmodSync(policy, 0o640)
    const stream = await listening(gateway, '/events')
    const one = await client(gateway.url)
    const { version, rulesVersion } = await view(gateway)
    const other = text.replace('maxLength: 5', 'maxLength: 50').replace(/cases:.*/s, '')
    const saved = await save(gateway, other, version)
    expect(saved).toMatchObject({ status: 200, body: { file: policy } })
    expect(saved.body.version).not.toBe(version)
    expect(saved.body.rulesVersion).not.toBe(rulesVersion)
    expect(words(await one.call('notes__write', { text: 'longer' }))).toBe('written: longer')
    expect(readFileSync(policy, 'utf8')).toBe(other)
    expect(statSync(policy).mode & 0o777).toBe(0o640)
    expect(readdirSync(dirname(policy)).filter((name) => name.includes('tmp'))).toEqual([])
    expect(await view(gateway)).toMatchObject({ version: saved.body.version, text: other })
    await stream.first(({ event, data }) => event === 'policy' && data.what === 'changed')
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(stream.events.filter(({ event }) => event === 'policy')).toHaveLength(1)
    expect((await ask(gateway, '/audit?tool=toolwire/save-policy')).body.calls).toMatchObject([
      { caller: 'operator', outcome: 'ok' },
    ])
  })

  it('keeps the line endings of the file, which the text omits', async () => {
    const { policy, gateway } = await ruled()
    writeFileSync(policy, text.replaceAll('\n', '\r\n'))
    const { version, text: shown } = await view(gateway)
    expect(shown).toBe(text)
    const saved = await save(gateway, `${shown}# more\n`, version)
    expect(saved.status).toBe(200)
    expect(readFileSync(policy, 'utf8')).toBe(`${text}# more\n`.replaceAll('\n', '\r\n'))
    expect(await view(gateway)).toMatchObject({ version: saved.body.version, text: `${text}# more\n` })
  })

  it('is refused if the file has changed since, or two people save at once', async () => {
    const { policy, gateway } = await ruled()
    const { version } = await view(gateway)
    const both = await Promise.all([save(gateway, `${text}# one\n`, version), save(gateway, `${text}# two\n`, version)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    writeFileSync(policy, `${text}# by hand\n`)
    const now = both.find(({ status }) => status === 200)?.body.version
    expect((await save(gateway, text, String(now))).status).toBe(409)
    expect(readFileSync(policy, 'utf8')).toBe(`${text}# by hand\n`)
  })

  it('is refused if the rules are invalid, with the lines, and nothing changes', async () => {
    const { policy, gateway } = await ruled()
    const { version } = await view(gateway)
    const wrong = await save(gateway, text.replace('decision: allow', 'decision: perhaps'), version)
    expect(wrong).toMatchObject({ status: 400, body: { problems: [{ line: 5 }] } })
    const failing = await save(gateway, text.replace('expect: deny', 'expect: allow'), version)
    expect(failing).toMatchObject({ status: 400, body: { problems: [{ line: 12 }] } })
    expect(readFileSync(policy, 'utf8')).toBe(text)
    expect((await ask(gateway, '/audit?tool=toolwire/save-policy&outcome=ok')).body.calls).toEqual([])
  })

  it('repairs a file that had become invalid', async () => {
    const { policy, gateway } = await ruled()
    writeFileSync(policy, 'rules: [')
    await expect.poll(async () => (await view(gateway)).trouble).toContain('policy.yaml')
    const { version, text: broken } = await view(gateway)
    expect(broken).toBe('rules: [')
    expect((await save(gateway, text, version)).status).toBe(200)
    expect((await view(gateway)).trouble).toBeUndefined()
    expect(gateway.health().status).toBe('ok')
  })
})

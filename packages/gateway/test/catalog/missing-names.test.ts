// Names in the config or rules that match nothing: all reports show them. A restriction with such a name withholds the tools of its server
// until it matches.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jsonSchema, type Server, server, tool } from 'toolwire'
import type { Client } from 'toolwire/client'
import { Rulebook } from 'toolwire/rules'
import { describe, expect, it } from 'vitest'
import { eachNth } from '../../../toolwire/test/soak.js'
import { unreachedRules } from '../../src/catalog/missing-names/in-rules.js'
import { defaultGuard, type GatewayConfig, type UpstreamConfig } from '../../src/config/gateway-config.js'
import {
  ask,
  child,
  client,
  folder,
  http,
  program,
  type Started,
  started,
  until,
  upstreamConfig,
} from '../support/running-gateway.js'
import { listening } from '../support/upstream-fixture.js'

const open = { ...defaultGuard, approvals: false, rate: false, lists: false, pins: false } as const
const path = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } as const

type Files = { readonly app: Server; readonly url: string; readonly done: string[] }

/** A server with tools that read and write, and its completed calls. */
async function files(): Promise<Files> {
  const done: string[] = []
  const doing = (name: string) => tool({ description: name, input: jsonSchema(path), run: () => String(done.push(name)) })
  const names = ['read_file', 'write_file']
  const tools = Object.fromEntries(names.map((name) => [name, doing(name)]))
  const app = server({ name: 'files', version: '1.0.0', tools })
  const { url } = await listening(app)
  return { app, url, done }
}

const filesAt = (url: string, more: Partial<UpstreamConfig> = {}) => upstreamConfig('files', http(url), more)
/** Another server without faults. */
async function other(): Promise<UpstreamConfig> {
  const tools = { read: tool({ description: 'Reads', run: () => 'read' }) }
  return upstreamConfig('notes', http((await listening(server({ name: 'notes', version: '1.0.0', tools }))).url))
}

const names = async (one: Client) => (await one.listTools({ fresh: true })).map(({ name }) => name)
const both = ['files__read_file', 'files__write_file']
const troublesOf = (gateway: Started) => gateway.health().troubles.join('\n')

async function startedWith(upstream: (url: string) => UpstreamConfig, policy?: string, more: Partial<GatewayConfig> = {}) {
  const behind = await files()
  const file = join(folder(), 'policy.yaml')
  if (policy !== undefined) writeFileSync(file, policy)
  const given = {
    upstreams: [upstream(behind.url), await other()],
    guard: open,
    ...(policy !== undefined && { policy: file }),
    ...more,
  }
  const gateway = await started(given)
  const one = await client(gateway.url)
  await until(async () => (await names(one)).some((name) => name.startsWith('notes__')))
  return { ...behind, file, gateway, one }
}

describe("a restriction in a server's config", () => {
  const cases: [string, Partial<UpstreamConfig>, string][] = [
    [
      'hidden',
      { tools: { wriet_file: { hidden: true } } },
      'no tool "wriet_file" on the server files; did you mean "write_file"?',
    ],
    ['only', { only: ['raed_file'] }, 'no tool "raed_file" on the server files; did you mean "read_file"?'],
    ['only, with a wildcard', { only: ['raed_*'] }, 'no tool matches "raed_*"'],
    [
      'arguments',
      { tools: { write_file: { arguments: { paht: '/srv' } } } },
      'the tool "write_file" of the server files has no argument "paht"; did you mean "path"?',
    ],
    ['hints', { trusted: true, tools: { wriet_file: { hints: { readOnly: false } } } }, 'did you mean "write_file"?'],
  ]
  it.each(
    eachNth(cases, 2),
  )('that matches nothing (%s) withholds the tools of that server, and of no other', async (_, more, words) => {
    const { gateway, one, done } = await startedWith((url) => filesAt(url, more))
    expect((await names(one)).filter((name) => name.startsWith('files__'))).toEqual([])
    await expect(one.call('files__write_file', { path: '/a' })).rejects.toMatchObject({ code: 'not_offered' })
    expect(done).toEqual([])
    expect(gateway.health().status).toBe('degraded')
    expect(troublesOf(gateway)).toContain(words)
    expect(gateway.log.filter((line) => line.includes(words))).toHaveLength(1)
    const { servers, withheld } = (await ask(gateway, '/servers')).body as {
      servers: { id: string; heldBack?: string }[]
      withheld: { upstream: string; why: string }[]
    }
    expect(servers.map(({ id, heldBack = '' }) => [id, heldBack.includes(words)])).toEqual([
      ['files', true],
      ['notes', false],
    ])
    expect(withheld.map(({ upstream, why }) => [upstream, why.includes(words)])).toEqual([
      ['files', true],
      ['files', true],
    ])
  })

  it.each([
    ['tools', { tools: { wriet_file: { hidden: true, optional: true } } }, both],
    ['arguments', { tools: { write_file: { arguments: { paht: 1 }, optional: true } } }, both],
    ['only', { only: ['read_file', 'raed_file'], optional: ['raed_file'] }, ['files__read_file']],
  ])('that is optional withholds nothing: %s', async (_, more, expected) => {
    const { gateway, one } = await startedWith((url) => filesAt(url, more))
    expect((await names(one)).filter((name) => name.startsWith('files__'))).toEqual(expected)
    expect(gateway.health()).toMatchObject({ status: 'ok', troubles: [] })
  })

  it('withholds tools exactly while the config and the server do not match', async () => {
    const { app, gateway, one, url } = await startedWith((url) => filesAt(url, { tools: { wipe: { hidden: true } } }))
    expect(await names(one)).not.toContain('files__read_file')
    app.tools.add('wipe', tool({ description: 'Wipes', run: () => 'wiped' }))
    await until(async () => (await names(one)).includes('files__read_file'))
    expect(await names(one)).not.toContain('files__wipe')
    expect(gateway.health().troubles).toEqual([])
    expect(gateway.log.at(-1)).toContain('is corrected now')
    // A tool that was hidden under one name must not return under another one.
    app.tools.remove('wipe')
    await until(async () => !(await names(one)).includes('files__read_file'))
    const [, notes] = gateway.config.upstreams
    await gateway.change({ ...gateway.config, upstreams: [filesAt(url), ...(notes ? [notes] : [])] })
    expect(await names(one)).toEqual(expect.arrayContaining(both))
  })
})

it('a description for a missing tool is reported, and withholds nothing', async () => {
  const { gateway, one } = await startedWith((url) => filesAt(url, { tools: { raed_file: { title: 'Read' } } }))
  expect(await names(one)).toEqual(expect.arrayContaining(both))
  expect(troublesOf(gateway)).toContain('toolwire.servers.files.tools.raed_file: there is no tool "raed_file"')
})

it('a set with a missing name is reported, with a wildcard as a remark', async () => {
  const sets = { some: ['files__raed_file', 'files__read_file'], more: ['files__delete_*'] }
  const { gateway } = await startedWith((url) => filesAt(url), undefined, { sets })
  expect(gateway.health().troubles).toEqual([
    'toolwire.sets.some: there is no tool "files__raed_file"; did you mean "files__read_file"?',
  ])
  expect(gateway.log.join('\n')).toContain('no tool matches "files__delete_*"')
})

it('an unreachable server has no missing names, and its tools are never offered before the check', async () => {
  const lazy = upstreamConfig('later', child(program('notes-server.mjs')), {
    lazy: true,
    tools: { wriet: { hidden: true } },
  })
  const dead = upstreamConfig('dead', http('http://127.0.0.1:1/mcp'), { only: ['x'] })
  const policy = join(folder(), 'policy.yaml')
  writeFileSync(policy, 'default: allow\nrules: [{ name: no, when: { server: later, tool: wriet }, decision: deny }]\n')
  const gateway = await started({ upstreams: [lazy, dead], policy, guard: open })
  expect(troublesOf(gateway)).not.toContain('wriet')
  expect(troublesOf(gateway)).not.toContain('no tool')
  expect((await ask(gateway, '/servers/later/restart', { body: {} })).status).toBe(200)
  await until(() => troublesOf(gateway).includes('did you mean "write"?'))
  expect(await names(await client(gateway.url))).toEqual([])
})

describe('a rule', () => {
  const deny = (when: string, more = '') => `default: allow\nrules:\n  - { name: no, when: ${when}, decision: deny${more} }\n`

  const misspelt = [
    ['{ server: files, tool: [wriet_file] }', 'there is no tool "wriet_file" on the server files; did you mean "write_file"?'],
    ['{ server: files, tool: [write_file, "delete_*"] }', 'no tool matches "delete_*" on the server files'],
    ['{ tool: files__wriet_file }', 'there is no tool "files__wriet_file"; did you mean "files__write_file"?'],
    // Callers never see this name, so the rule would deny nothing.
    ['{ tool: write_file }', 'did you mean "files__write_file", or this name beside "server: files"?'],
    ['{ tool: "write_f*" }', 'did you mean "files__write_file"'],
    ['{ tool: wriet_file }', 'there is no tool "wriet_file"; did you mean "write_file"?'],
    ['{ call: { properties: { tool: { const: write_file } } } }', 'there is no tool "write_file"'],
    ['{ server: files, tool: write_file, arguments: { paht: { under: /etc } } }', 'no argument "paht"; did you mean "path"?'],
    ['{ server: files, arguments: { paht: x } }', 'none of its tools has an argument "paht"; did you mean "path"?'],
  ] as const

  it.each(
    eachNth(misspelt, 2),
  )('that denies and matches nothing withholds the tools that it was meant for: %s', async (when, words) => {
    const { file, gateway, one, done } = await startedWith((url) => filesAt(url), deny(when))
    expect((await names(one)).filter((name) => name.startsWith('files__'))).toEqual([])
    await expect(one.call('files__write_file', { path: '/a' })).rejects.toMatchObject({ code: 'not_offered' })
    expect(done).toEqual([])
    expect(troublesOf(gateway)).toContain(words)
    expect(gateway.log.join('\n')).not.toContain('is corrected now')
    expect(await names(one)).toContain('notes__read')
    writeFileSync(file, deny(when, ', optional: true'))
    await until(async () => (await names(one)).includes('files__read_file'))
    expect(gateway.health().troubles).toEqual([])
    writeFileSync(file, deny(when))
    await until(async () => !(await names(one)).includes('files__read_file'))
  })

  it.each([
    ['{ server: files, tool: write_file }', ['files__read_file']],
    ['{ server: files, tool: ["write_*"], arguments: { path: { under: /etc } } }', both],
    ['{ arguments: { path: { under: /etc } } }', both],
    ['{ tool: "delete_*" }', both],
    ['{ tool: [delete_everything_at_once] }', both],
  ])('that denies, and matches or is about no configured server, withholds nothing: %s', async (when, expected) => {
    const { one } = await startedWith((url) => filesAt(url), deny(when))
    expect((await names(one)).filter((name) => name.startsWith('files__'))).toEqual(expected)
  })

  it('that allows and matches nothing is reported, and withholds nothing', async () => {
    const policy =
      'default: deny\nrules:\n  - { name: it, when: { server: files, tool: [read_file, raed_files] }, decision: allow }\n  - { name: notes, when: { server: notes }, decision: allow }\n'
    const { gateway, one } = await startedWith((url) => filesAt(url), policy)
    expect(await names(one)).toContain('files__read_file')
    expect(troublesOf(gateway)).toContain('did you mean "read_file"?')
  })

  it('after one without conditions never decides, which is reported and withholds nothing', async () => {
    const wipe = '{ name: no wiping, when: { server: files, tool: write_file }, decision: deny }'
    const { gateway, one } = await startedWith((url) => filesAt(url), `rules: [{ name: all, decision: allow }, ${wipe}]\n`)
    expect(await names(one)).toEqual(expect.arrayContaining(both))
    expect(gateway.health()).toMatchObject({ status: 'degraded' })
    expect(gateway.health().troubles).toEqual([
      'the rule "no wiping": it never decides, because "all" is before it and matches every call; move it before "all", or remove it.',
    ])
  })

  it('that matches every call is reported once, however many rules follow', () => {
    const rules = ['all', ...'abcdefg'].map((name, at) => ({
      ...{ name, decision: 'allow' as const },
      ...(at > 0 && { when: { tool: name } }),
    }))
    expect(unreachedRules(new Rulebook({ rules })).map(({ message }) => message)).toEqual([
      'the rules "a", "b", "c", "d", "e" and 2 more: they never decide, because "all" is before them and matches every call; move them before "all", or remove them.',
    ])
  })

  it('that hides a missing argument from logs is reported', async () => {
    const rule = '{ name: quiet, when: { server: files }, decision: allow, redact: [contnet, /path/x, "/*/y"] }'
    const { gateway } = await startedWith((url) => filesAt(url), `default: allow\nrules: [${rule}]\n`)
    expect(gateway.health().troubles).toEqual(['the rule "quiet": none of its tools has an argument "contnet".'])
  })

  it('that hides a missing argument of all tools from logs is reported, if it resembles one that is there', async () => {
    const { gateway } = await startedWith((url) => filesAt(url), 'default: allow\nredact: [paht, password, path]\nrules: []\n')
    expect(gateway.health().troubles).toEqual(['"redact" of the rules: no tool has an argument "paht"; did you mean "path"?'])
  })

  it('that requires approval withholds the tools that would otherwise be called without it', async () => {
    const asks = (fallback: string) =>
      `default: ${fallback}\nrules: [{ name: it, when: { server: files, tool: wriet_file }, decision: ask }]\n`
    const { file, gateway, one } = await startedWith((url) => filesAt(url), asks('allow'))
    expect(await names(one)).not.toContain('files__read_file')
    writeFileSync(file, asks('deny'))
    await until(() => !troublesOf(gateway).includes('withheld'))
    expect(troublesOf(gateway)).toContain('there is no tool "wriet_file"')
    expect(gateway.log.join('\n')).not.toContain('is corrected now')
  })

  it("with a name that resembles a server's is refused, at the start and later", async () => {
    const wrong = deny('{ server: fiels }')
    await expect(startedWith((url) => filesAt(url), wrong)).rejects.toThrow(
      /policy\.yaml:3: \/rules\/0\/when\/server: there is no server "fiels"; did you mean "files"\?/,
    )
    const { file, gateway, one } = await startedWith((url) => filesAt(url), deny('{ server: files, tool: write_file }'))
    writeFileSync(file, wrong)
    await until(() =>
      troublesOf(gateway).includes('there is no server "fiels"; did you mean "files"?; the previous rules stay in force'),
    )
    expect(await names(one)).not.toContain('files__write_file')
  })

  it('with a server of another gateway is reported', async () => {
    const { gateway, one } = await startedWith((url) => filesAt(url), deny('{ server: warehouse }'))
    expect(gateway.health().troubles).toEqual(['the rule "no": there is no server "warehouse".'])
    expect(await names(one)).toEqual(expect.arrayContaining(both))
  })
})

it('a draft of rules is tried with the current tools, under either name', async () => {
  const { gateway } = await startedWith((url) => filesAt(url, { tools: { read_file: { rename: 'look' } } }))
  const text = `default: deny
rules:
  - { name: reading, when: { server: files, tool: read_file }, decision: allow }
  - { name: typo, when: { server: files, tool: wriet_file }, decision: deny }
cases:
  - { call: { server: files, tool: read_file }, expect: allow }
  - { call: { tool: files__look }, expect: allow }
  - { call: { tool: files__raed_file }, expect: deny }
`
  const { body } = await ask(gateway, '/policy/preview', { body: { text } })
  const elsewhere = `${text}  - { call: { server: warehouse, tool: x }, expect: deny }\n`
  const { cases } = (await ask(gateway, '/policy/preview', { body: { text: elsewhere } })).body as { cases: { why?: string }[] }
  expect(cases.at(-1)?.why).toContain('there is no server "warehouse"')
  expect(body).toMatchObject({
    ok: false,
    rules: 2,
    cases: [{ ok: true }, { ok: true }, { ok: false, why: expect.stringContaining('there is no tool "files__raed_file"') }],
    missing: [{ where: 'the rule "typo"', holds: ['files'], isPrecaution: false }],
  })
  const explained = await ask(gateway, '/policy/explain', { body: { server: 'files', tool: 'nothing_like_it' } })
  expect(explained.body.why).toContain('Note: the server files has no tool "nothing_like_it"')
})

// A server that rules deny to a caller looks absent to that caller, and to no other.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { prompt, resource, server, template, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { flowGuard } from '../support/crm-and-web.js'
import { ask, client, folder, http, started, upstreamConfig, words } from '../support/running-gateway.js'
import { listening } from '../support/upstream-fixture.js'

const nothing = 'rules: []\n'
const denied =
  'default: allow\nrules:\n  - { name: no hr, when: { server: hr, caller: bob }, decision: deny, because: hr is private }\n'

const hr = () =>
  server({
    name: 'hr',
    version: '1',
    tools: { payroll: tool({ description: 'Pays', hints: { readOnly: true }, run: () => 'paid' }) },
    resources: {
      ceo: resource({ uri: 'hr://ceo', read: () => 'much' }),
      people: template({ uriTemplate: 'hr://people/{name}', read: () => 'someone' }),
    },
    prompts: { fire: prompt({ run: () => 'Plan a layoff' }) },
  })
const notes = () =>
  server({
    name: 'notes',
    version: '1',
    resources: { one: resource({ uri: 'note://1', read: () => 'one' }) },
    prompts: { sum: prompt({ run: () => 'Sum up' }) },
  })

async function gatewayWith(rules: string) {
  const app = hr()
  const policy = join(folder(), 'policy.yaml')
  writeFileSync(policy, rules)
  const upstreams = [
    upstreamConfig('hr', http((await listening(app)).url)),
    upstreamConfig('notes', http((await listening(notes())).url)),
  ]
  const gateway = await started({ upstreams, guard: flowGuard, policy, callers: { loopback: false, apiKeys: true } })
  const callerOf = async (caller: string, revision: string) => {
    const { body } = await ask(gateway, '/keys', { body: { caller } })
    return client(gateway.url, { revision, headers: { authorization: `Bearer ${body.key}` } })
  }
  return { app, policy, callerOf }
}

type Caller = Awaited<ReturnType<Awaited<ReturnType<typeof gatewayWith>>['callerOf']>>
const failure = (work: Promise<unknown>) => work.then(JSON.stringify, ({ code, message }) => `${code} ${message}`)

async function listedFor(one: Caller) {
  const [tools, resources, templates, prompts] = await Promise.all([
    one.request('tools/list', {}),
    one.request('resources/list', {}),
    one.request('resources/templates/list', {}),
    one.request('prompts/list', {}),
  ])
  return [
    ...(tools.tools as { name: string }[]).map(({ name }) => name),
    ...(resources.resources as { uri: string }[]).map(({ uri }) => uri),
    ...(templates.resourceTemplates as { uriTemplate: string }[]).map(({ uriTemplate }) => uriTemplate),
    ...(prompts.prompts as { name: string }[]).map(({ name }) => name),
  ].sort()
}

const all = ['hr://ceo', 'hr://people/{name}', 'hr__fire', 'hr__payroll', 'note://1', 'notes__sum']

describe.each(['2025-11-25', '2026-07-28'])('a server that rules deny to a caller of %s', (revision) => {
  it('is not listed, and its entries are answered like absent ones', async () => {
    const { callerOf } = await gatewayWith(denied)
    const [alice, bob] = [await callerOf('alice', revision), await callerOf('bob', revision)]
    await expect.poll(() => listedFor(alice)).toEqual(all)
    expect(await listedFor(bob)).toEqual(['note://1', 'notes__sum'])
    const answers = (tool: string, uri: string, name: string) =>
      Promise.all([
        failure(bob.request('tools/call', { name: tool, arguments: {} })),
        failure(bob.request('resources/read', { uri })),
        failure(bob.request('prompts/get', { name })),
      ])
    const absent = await answers('hr__absent', 'hr://absent', 'hr__absent')
    expect(absent.join()).not.toContain('private')
    const about = await answers('hr__payroll', 'hr://ceo', 'hr__fire')
    expect(about.join().replaceAll(/hr__(payroll|fire)/g, 'hr__absent')).toBe(absent.join())
    expect(words(await alice.call('hr__payroll'))).toBe('paid')
  })

  it('is announced no longer once the rules have changed, and the caller hears that the lists have changed', async () => {
    const { app, policy, callerOf } = await gatewayWith(nothing)
    const [alice, bob] = [await callerOf('alice', revision), await callerOf('bob', revision)]
    await expect.poll(() => listedFor(bob)).toEqual(all)
    const heard: Record<string, string[]> = { alice: [], bob: [] }
    for (const [who, one] of Object.entries({ alice, bob })) {
      one.onChange((change) => void heard[who]?.push(change.kind))
      await one.watch('hr://ceo')
    }
    app.resources.updated('hr://ceo')
    await expect.poll(() => Object.values(heard).map((kinds) => kinds.includes('resource'))).toEqual([true, true])
    for (const kinds of Object.values(heard)) kinds.splice(0)
    writeFileSync(policy, denied)
    await expect
      .poll(() => ['resources', 'prompts'].filter((kind) => heard.bob?.includes(kind)))
      .toEqual(['resources', 'prompts'])
    expect(await listedFor(bob)).toEqual(['note://1', 'notes__sum'])
    app.resources.updated('hr://ceo')
    await expect.poll(() => heard.alice?.includes('resource')).toBe(true)
    expect(heard.bob).not.toContain('resource')
  })
})

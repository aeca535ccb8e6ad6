// A tool, resource or prompt that a caller may not use looks to that caller like one that does not exist, whatever the caller tries.
import { jsonSchema, prompt, Refusal, resource, type ServerOptions, server, template, tool } from 'toolwire'
import { audit, memoryPins, type Policy, pin } from 'toolwire/guard'
import { relay } from 'toolwire/relay'
import { defineRules, rules } from 'toolwire/rules'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/json.js'
import type { ToolSet } from '../../src/server/options.js'
import { every } from '../revisions.js'
import '../reported-faults.js'
import { type Pipe, said, speaking } from './pipe.js'
import { mirrored } from './post.js'

const bob = { id: 'bob', scopes: [] as string[] }
const placed = jsonSchema({ type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } })

const tools = (scopes: readonly string[]) => ({
  plain: tool({ description: 'Plain', scopes, input: placed, run: () => 'plain' }),
  once: tool({ description: 'Once', scopes, limit: { calls: 1, per: 'hour' }, run: () => 'once' }),
  long: tool({ description: 'Long', scopes, longRunning: 'optional', run: () => 'long' }),
  task: tool({ description: 'Task', scopes, longRunning: 'required', run: () => 'task' }),
  far: relay(
    { name: 'far', inputSchema: { type: 'object' } },
    { server: 'hr', longRunning: 'optional', run: async () => ({ content: [], isError: false }) },
  ),
})
const names = Object.keys(tools([]))
const denied = rules(defineRules({ default: 'allow', rules: [{ name: 'not bob', when: { caller: 'bob' }, decision: 'deny' }] }))

const broken = () => {
  throw new Error('The disk is full')
}
const closed: Policy = { name: 'closed', call: ({ tool: { name } }) => Promise.reject(new Refusal('busy', `${name} is closed`)) }
/** Each refuses calls before, or apart from, the policy that hides the tools. */
const guards: readonly (readonly [string, Partial<ServerOptions<ToolSet>>])[] = [
  ['the usual guard', {}],
  ['a pin that accepts nothing', { guard: { pin: pin({ store: memoryPins(), unknown: 'refuse' }) } }],
  ['an audit log that fails', { guard: { audit: { write: broken } } }],
  ['an own policy that refuses', { policies: [closed] }],
  ['an own audit log that fails', { policies: [audit({ write: broken })] }],
]

const hidingBy = {
  rules: (more: Partial<ServerOptions<ToolSet>>) => ({ ...more, tools: tools([]), guard: { ...more.guard, rules: denied } }),
  scopes: (more: Partial<ServerOptions<ToolSet>>) => {
    const { far: _, ...rest } = tools(['hr'])
    return { ...more, tools: rest }
  },
}

const variants: readonly JsonObject[] = [
  {},
  { task: {} },
  { arguments: { region: 'eu' } },
  { requestState: 'made up' },
  { inputResponses: { who: {} } },
]
const tasking = { extensions: { 'io.modelcontextprotocol/tasks': {} }, elicitation: { form: {} } }

/** The answers to all kinds of calls of a tool, each made twice, without its name. */
async function answersAbout(name: string, ask: (params: JsonObject) => Promise<object>): Promise<string[]> {
  const answers: string[] = []
  for (const variant of [...variants, ...variants]) {
    const answer = { ...(await ask({ name, ...variant })), id: 0 }
    answers.push(JSON.stringify(answer).replaceAll(name, 'NAME'))
  }
  return answers
}

describe.each(Object.entries(hidingBy))('tools that are hidden by %s', (_, hiding) => {
  it.each(
    guards.flatMap(([guarded, more]) => every.map((revision) => [guarded, revision, more] as const)),
  )('LIST-006 are answered like absent ones, with %s (%s)', async (__, revision, more) => {
    const app = server({ name: 's', version: '1', ...hiding(more) })
    const { ask } = await speaking(app, revision, tasking, bob)
    const absent = await answersAbout('absent', (params) => ask('tools/call', params))
    expect(absent[0]).toContain('Unknown tool: NAME')
    for (const name of names)
      expect([name, await answersAbout(name, (params) => ask('tools/call', params))]).toEqual([name, absent])
    expect(((await ask('tools/list')).result as JsonObject).tools).toEqual([])
  })

  it.each(
    guards,
  )('LIST-006 are answered over HTTP like absent ones, with or without their headers, with %s', async (__, more) => {
    const app = server({
      name: 's',
      version: '1',
      http: { hosts: 'any', authenticate: () => bob },
      ...hiding(more),
    })
    const ask = async (params: JsonObject) => {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, ...said(tasking) } }
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...mirrored(message) }
      const response = await app.fetch(
        new Request('http://localhost/mcp', { method: 'POST', headers, body: JSON.stringify(message) }),
      )
      const { 'www-authenticate': challenge, 'retry-after': wait } = Object.fromEntries(response.headers)
      return { status: response.status, challenge, wait, text: (await response.text()).replace(/"id":\d+/, '') }
    }
    const absent = await answersAbout('absent', ask)
    for (const name of names) expect([name, await answersAbout(name, ask)]).toEqual([name, absent])
  })
})

const open = {
  resources: {
    lunch: resource({ uri: 'crm://lunch', server: 'crm', read: () => 'lunch' }),
    days: template({ uriTemplate: 'crm://days/{day}', server: 'crm', complete: { day: () => ['mon'] }, read: () => 'day' }),
  },
  prompts: { greet: prompt({ server: 'crm', args: { who: { complete: () => ['ada'] } }, run: () => 'hello' }) },
}
const withHr = {
  resources: {
    pay: resource({ uri: 'crm://days/pay', server: 'hr', read: () => 'pay' }),
    ceo: resource({ uri: 'hr://ceo', server: 'hr', read: () => 'ceo' }),
    people: template({ uriTemplate: 'hr://people/{name}', server: 'hr', complete: { name: () => ['eve'] }, read: () => 'eve' }),
    ...open.resources,
  },
  prompts: { fire: prompt({ server: 'hr', args: { who: { complete: () => ['eve'] } }, run: () => 'fire' }), ...open.prompts },
}
const noHr = rules(
  defineRules({ default: 'allow', rules: [{ name: 'no hr', when: { caller: 'bob', server: 'hr' }, decision: 'deny' }] }),
)
const library = (parts: typeof open, more: Partial<ServerOptions<ToolSet>> = {}) =>
  server({ name: 'library', version: '1', instructions: 'Read', ...parts, ...more })

const complete = (ref: JsonObject, name: string): [string, JsonObject] => [
  'completion/complete',
  { ref, argument: { name, value: '' } },
]
const roads: readonly [string, JsonObject][] = [
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['prompts/list', {}],
  ...['hr://ceo', 'hr://people/eve', 'crm://days/pay', 'crm://days/mon', 'crm://lunch'].flatMap((uri): [string, JsonObject][] => [
    ['resources/read', { uri }],
    ['resources/subscribe', { uri }],
    ['resources/unsubscribe', { uri }],
  ]),
  ...['fire', 'greet'].flatMap((name): [string, JsonObject][] => [
    ['prompts/get', { name }],
    ['prompts/get', { name, arguments: { what: 'x' } }],
    complete({ type: 'ref/prompt', name }, 'who'),
    complete({ type: 'ref/prompt', name }, 'what'),
  ]),
  ...['hr://people/{name}', 'crm://days/{day}'].flatMap((uri): [string, JsonObject][] => [
    complete({ type: 'ref/resource', uri }, 'name'),
    complete({ type: 'ref/resource', uri }, 'day'),
  ]),
]

describe('resources and prompts of a server that rules deny', () => {
  it.each(every)('LIST-006 are answered in %s as if the server were absent', async (revision) => {
    const answers = async (app: ReturnType<typeof library>) => {
      const { ask } = await speaking(app, revision, {}, bob)
      const all: string[] = []
      for (const [method, params] of roads) all.push(JSON.stringify({ method, params, ...(await ask(method, params)), id: 0 }))
      return all
    }
    expect(await answers(library(withHr, { guard: { rules: noHr } }))).toEqual(await answers(library(open)))
  })

  it('are granted no subscription, and the log shows that they were refused', async () => {
    const kept: string[] = []
    const write: Parameters<typeof audit>[0]['write'] = (record) => {
      if (record.kind === 'outcome') kept.push(`${record.tool} ${record.outcome} ${record.reason}`)
    }
    const app = library(withHr, { guard: { rules: noHr, audit: { write } } })
    const { pipe, ask } = await speaking(app, '2026-07-28', {}, bob)
    const wished = { notifications: { resourceSubscriptions: ['hr://ceo', 'hr://people/eve', 'crm://lunch'] }, ...said() }
    const { params } = await pipe.say({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: wished })
    expect(params?.notifications).toEqual({ resourceSubscriptions: ['crm://lunch'] })
    await ask('resources/read', { uri: 'hr://ceo' })
    await ask('prompts/get', { name: 'fire' })
    await ask(...complete({ type: 'ref/prompt', name: 'fire' }, 'who'))
    await ask(...complete({ type: 'ref/resource', uri: 'hr://people/{name}' }, 'name'))
    await ask(...complete({ type: 'ref/resource', uri: 'hr://absent/{name}' }, 'name'))
    expect(kept.filter((one) => !one.includes(' ok '))).toEqual([
      'toolwire/watch-resource refused forbidden',
      'toolwire/watch-resource refused forbidden',
      'toolwire/read-resource refused forbidden',
      'toolwire/get-prompt refused forbidden',
      'toolwire/complete refused forbidden',
      'toolwire/complete refused forbidden',
      'toolwire/complete refused invalid-arguments',
    ])
  })

  it('are never in a shared copy of a list', async () => {
    const app = library(withHr, { guard: { rules: noHr }, cache: { scope: 'public', ttlMs: 60_000 } })
    for (const caller of [bob, { id: 'alice', scopes: [] }])
      for (const method of ['resources/list', 'resources/templates/list', 'prompts/list']) {
        const { ask } = await speaking(app, '2026-07-28', {}, caller)
        expect([caller.id, method, (await ask(method)).result?.cacheScope]).toEqual([caller.id, method, 'private'])
      }
  })

  const updates = ({ texts }: Pipe) => texts.filter((text) => text.includes('notifications/resources/updated')).length
  const listChanges = ({ texts }: Pipe) =>
    texts.filter((text) => text.includes('list_changed')).map((text) => JSON.parse(text).method)

  it('CHG-001 are no longer announced once the rules deny them, and the caller hears that the lists have changed', async () => {
    const app = library(withHr)
    const [old, late] = [await speaking(app, '2025-06-18', {}, bob), await speaking(app, '2026-07-28', {}, bob)]
    const alice = await speaking(app, '2025-06-18', {}, { id: 'alice', scopes: [] })
    for (const { ask } of [old, alice]) expect(await ask('resources/subscribe', { uri: 'hr://ceo' })).toHaveProperty('result')
    const notifications = { resourceSubscriptions: ['hr://ceo'], resourcesListChanged: true, promptsListChanged: true }
    await late.pipe.say({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { notifications, ...said() } })
    app.resources.updated('hr://ceo')
    await expect.poll(() => [old, late, alice].map(({ pipe }) => updates(pipe))).toEqual([1, 1, 1])
    app.guard({ guard: { rules: noHr } })
    app.resources.updated('hr://ceo')
    const both = ['notifications/prompts/list_changed', 'notifications/resources/list_changed']
    await expect.poll(() => [old, late].map(({ pipe }) => listChanges(pipe).sort())).toEqual([both, both])
    app.resources.replace('ceo', resource({ uri: 'hr://ceo', server: 'hr', title: 'The CEO', read: () => 'ceo' }))
    await expect.poll(() => listChanges(alice.pipe)).toEqual(['notifications/resources/list_changed'])
    expect([old, late, alice].map(({ pipe }) => updates(pipe))).toEqual([1, 1, 2])
    expect([old, late].map(({ pipe }) => listChanges(pipe).length)).toEqual([2, 2])
  })
})

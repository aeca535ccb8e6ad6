import { setTimeout } from 'node:timers/promises'
import { prompt, resource, server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/json.js'
import type { Served } from '../../src/peer/application.js'
import { complaints, judged } from '../official-schemas.js'
import { every, everyWire } from '../revisions.js'
import { Pipe, said, speaking } from './pipe.js'

const hello = tool({ description: 'Says hello', run: () => 'hello' })
const note = resource({ uri: 'note:1', read: () => 'a note' })
const greeting = prompt({ run: () => 'Greet me' })
const shop = (more: object = {}) => server({ name: 'shop', version: '1.0.0', tools: { hello }, ...more })

const opening = (protocolVersion: string) => ({ protocolVersion, capabilities: {}, clientInfo: { name: 'c', version: '1' } })

/** The capabilities of a server, from its initialize or discover result. */
async function declared(app: Served, revision: string): Promise<JsonObject> {
  const pipe = new Pipe(app)
  const { result } = await (revision === '2026-07-28'
    ? pipe.ask('server/discover', said())
    : pipe.ask('initialize', opening(revision)))
  return result?.capabilities as JsonObject
}

describe.each(everyWire)('In $name', ({ name, server: more, client }) => {
  const revision = name === 'pocket' ? '2025-06-18' : name

  it('CAP-001 a server declares tools if it has any, and no tools otherwise', async () => {
    expect(await declared(shop(more), revision)).toHaveProperty('tools')
    const without = server({ name: 's', version: '1', resources: { note }, ...more })
    expect(await declared(without, revision)).not.toHaveProperty('tools')
    const { ask } = await speaking(without, revision)
    expect((await ask('tools/list')).error).toMatchObject({ code: -32601 })
    expect((await ask('tools/call', { name: 'hello' })).error).toMatchObject({ code: -32601 })
    await using t = await judged(shop(more), client)
    expect(await t.request('tools/list')).toMatchObject({ tools: [{ name: 'hello' }] })
  })
})

describe.each(every)('In %s', (revision) => {
  const lists = { tools: { hello }, resources: { note }, prompts: { greeting } }

  it('CAP-002 a server declares changes of its lists only if they can change, and then announces them', async () => {
    const fixed = server({ name: 's', version: '1', ...lists, fixed: true })
    const live = server({ name: 's', version: '1', ...lists })
    const changing = (capabilities: JsonObject) =>
      Object.values(capabilities).filter((one) => (one as JsonObject).listChanged).length
    expect(changing(await declared(fixed, revision))).toBe(0)
    expect(changing(await declared(live, revision))).toBe(3)
    expect(() => fixed.tools.disable('hello')).toThrow(/fixed/)

    await using t = await judged(live, { revision })
    if (revision === '2026-07-28') {
      const notifications = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
      void t.request('subscriptions/listen', { notifications })
      await t.hear('notifications/subscriptions/acknowledged')
    }
    for (const list of ['tools', 'resources', 'prompts'] as const) {
      live[list].disable(live[list].names[0] ?? '')
      await t.hear(`notifications/${list}/list_changed`)
    }
  })

  it('CAP-002 a server with fixed tools announces nothing', async () => {
    const { pipe, ask } = await speaking(shop({ fixed: true }), revision)
    const before = pipe.texts.length
    await ask('tools/call', { name: 'hello' })
    await setTimeout(60)
    expect(pipe.texts.length).toBe(before + 1)
  })
})

it('CAP-003 the pocket profile always declares that its tools change', async () => {
  for (const fixed of [true, false]) {
    expect(await declared(shop({ profile: 'pocket', fixed }), '2025-06-18')).toMatchObject({ tools: { listChanged: true } })
  }
})

describe('server/discover', () => {
  const bare = () => server({ name: 'bare', version: '1.0.0', fixed: true, tools: {}, resources: {}, prompts: {} })

  it('DISC-001 is always answered', async () => {
    for (const app of [bare(), shop(), server({ name: 's', version: '1', prompts: { greeting } })]) {
      expect((await new Pipe(app).ask('server/discover', said())).result).toMatchObject({ resultType: 'complete' })
    }
  })

  it('DISC-002 returns versions, capabilities, cache hints, the server info and instructions', async () => {
    const reply = await new Pipe(shop({ instructions: 'Say hello first' })).ask('server/discover', said())
    expect(complaints('2026-07-28', reply, 'server/discover')).toEqual([])
    expect(reply.result).toEqual({
      resultType: 'complete',
      supportedVersions: [...every].reverse(),
      capabilities: { tools: { listChanged: true } },
      instructions: 'Say hello first',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'shop', version: '1.0.0' } },
    })
    expect((await new Pipe(shop()).ask('server/discover', said())).result).not.toHaveProperty('instructions')
  })

  it.each([
    ['tools', 'tools/list'],
    ['resources', 'resources/list'],
    ['prompts', 'prompts/list'],
  ])('DISC-004 lists %s exactly if %s is served', async (capability, method) => {
    const lists = { tools: { hello }, resources: { note }, prompts: { greeting } }
    for (const offered of [['tools'], ['resources'], ['prompts'], ['tools', 'prompts'], ['tools', 'resources', 'prompts']]) {
      const pipe = new Pipe(
        server({
          name: 's',
          version: '1',
          ...Object.fromEntries(Object.entries(lists).filter(([list]) => offered.includes(list))),
        }),
      )
      const { result } = await pipe.ask('server/discover', said())
      const answer = await pipe.ask(method, said())
      expect([offered, Object.hasOwn(result?.capabilities as object, capability)]).toEqual([
        offered,
        offered.includes(capability),
      ])
      expect([offered, answer.error?.code]).toEqual([offered, offered.includes(capability) ? undefined : -32601])
    }
  })
})

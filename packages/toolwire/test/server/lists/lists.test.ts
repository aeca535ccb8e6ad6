import { server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../../../src/json.js'
import { judged } from '../../official-schemas.js'
import { every, everyWire } from '../../revisions.js'
import { speaking } from '../pipe.js'

const named = (description: string, scopes: string[] = []) => tool({ description, scopes, run: () => description })
const shop = (more: object = {}) =>
  server({
    name: 'shop',
    version: '1.0.0',
    tools: {
      search: named('Searches'),
      admin_refund: named('Pays back', ['refund']),
      order: named('Orders'),
      admin_audit: named('Audits', ['audit']),
    },
    ...more,
  })
const clerk = { id: 'clerk', scopes: ['refund'] }
const guest = { id: 'guest', scopes: [] }

type Listed = { tools: (JsonObject & { name: string })[] }
const namesIn = ({ tools }: JsonObject) => (tools as Listed['tools']).map(({ name }) => name)

describe.each(everyWire)('tools/list in $name', ({ server: more, client }) => {
  it('LIST-001 returns tools with at least a name and an input schema', async () => {
    await using t = await judged(shop(more), client)
    const { tools } = (await t.request('tools/list')) as Listed
    expect(tools.map(({ name, inputSchema }) => [name, inputSchema])).toEqual(
      ['search', 'admin_refund', 'order', 'admin_audit'].map((name) => [name, { type: 'object', additionalProperties: false }]),
    )
  })
})

describe.each(every)('tools/list in %s', (revision) => {
  it('LIST-006 LIST-003 omits tools that the caller may not use, and a call to one is answered like an unknown tool', async () => {
    await using t = await judged(shop({ pageSize: 2 }), { revision, caller: guest })
    const page = await t.request('tools/list')
    expect(namesIn(page)).toEqual(['search', 'order'])
    expect(page).not.toHaveProperty('nextCursor')
    const failure = (name: string) =>
      t.call(name).then(JSON.stringify, ({ code, message, data }) => JSON.stringify({ code, message, data }))
    const [forbidden, unknown] = [await failure('admin_audit'), await failure('absent')]
    expect(forbidden).toContain('admin_audit')
    expect(forbidden.replaceAll('admin_audit', 'absent')).toBe(unknown)
    expect(JSON.stringify(t.frames.filter(({ from }) => from === 'server'))).not.toMatch(/Audits|Pays back/)
  })

  it.each(
    [
      ['2024-11-05', ['description', 'inputSchema', 'name']],
      ['2025-03-26', ['annotations', 'description', 'inputSchema', 'name']],
      ['2025-06-18', ['_meta', 'annotations', 'description', 'inputSchema', 'name', 'outputSchema', 'title']],
      [
        '2025-11-25',
        ['_meta', 'annotations', 'description', 'execution', 'icons', 'inputSchema', 'name', 'outputSchema', 'title'],
      ],
    ].filter(([version]) => version === revision),
  )('LIST-009 in %s has a tool with the members %j', async (_, fields) => {
    const everything = tool({
      title: 'Everything',
      description: 'Has every field',
      icons: [{ src: 'https://example.com/i.png' }],
      hints: { readOnly: true },
      _meta: { 'com.example/a': 1 },
      output: z.object({ n: z.number() }),
      longRunning: 'optional',
      run: () => ({ n: 1 }),
    })
    await using t = await judged(server({ name: 's', version: '1', tools: { everything } }), { revision })
    const { tools } = (await t.request('tools/list')) as Listed
    expect(Object.keys(tools[0] ?? {}).sort()).toEqual(fields)
  })
})

describe('tools/list in 2026-07-28', () => {
  it('LIST-002 is answered even if there are no tools', async () => {
    const emptied = shop()
    for (const name of emptied.tools.names) emptied.tools.disable(name)
    for (const app of [emptied, server({ name: 's', version: '1', tools: {} }), server({ name: 's', version: '1' })]) {
      await using t = await judged(app)
      expect(await t.request('server/discover')).toMatchObject({ capabilities: { tools: {} } })
      expect(await t.request('tools/list')).toMatchObject({ tools: [] })
    }
  })

  it('LIST-003 depends on the caller, but neither on the connection nor on earlier calls', async () => {
    const app = shop()
    const seen: string[] = []
    for (const calls of [[], ['search'], ['order', 'search'], ['absent'], ['admin_audit', 'order']]) {
      const { ask } = await speaking(app, '2026-07-28')
      for (const name of calls) await ask('tools/call', { name })
      seen.push(JSON.stringify((await ask('tools/list')).result))
    }
    expect(new Set(seen).size).toBe(1)
    const { ask } = await speaking(app, '2026-07-28', {}, clerk)
    expect(namesIn((await ask('tools/list')).result ?? {})).toEqual(['search', 'admin_refund', 'order'])
  })

  it('LIST-004 has the same order each time, in each process', async () => {
    const orders = new Set<string>()
    for (let start = 0; start < 20; start++) {
      const { ask } = await speaking(shop(), '2026-07-28')
      for (let list = 0; list < 5; list++) orders.add(namesIn((await ask('tools/list')).result ?? {}).join())
    }
    expect([...orders]).toEqual(['search,admin_refund,order,admin_audit'])
  })

  it('LIST-005 has a resultType and cache hints on each page', async () => {
    await using t = await judged(shop({ pageSize: 1, cache: { ttlMs: 5_000 } }))
    let cursor: JsonObject = {}
    for (let page = 0; page < 4; page++) {
      const result = await t.request('tools/list', cursor)
      expect(result).toMatchObject({ resultType: 'complete', ttlMs: 5_000, cacheScope: 'private' })
      cursor = { cursor: result.nextCursor ?? null }
    }
  })
})

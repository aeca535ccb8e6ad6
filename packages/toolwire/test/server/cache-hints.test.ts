import { ask, inputRequired, prompt, resource, server, template, tool } from 'toolwire'
import type { Policy } from 'toolwire/guard'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../../src/json.js'
import { judged } from '../official-schemas.js'
import { said, speaking } from './pipe.js'

const hello = tool({ description: 'Says hello', run: () => 'hello' })
const secret = tool({ description: 'For few', scopes: ['few'], run: () => 'secret' })
const note = resource({ uri: 'note:1', read: () => 'a note' })
const asking = resource({
  uri: 'ask:1',
  read: (ctx) => (ctx.resumed ? 'told' : inputRequired({ who: ask('Who?', z.object({ name: z.string() })) })),
})
const lists = {
  tools: { hello },
  resources: { note, asking, notes: template({ uriTemplate: 'n:{x}', read: () => '' }) },
  prompts: { greet: prompt({ run: () => '' }) },
}
const shop = (more: object = {}) => server({ name: 'shop', version: '1.0.0', ...lists, ...more })

const cacheable: readonly (readonly [string, JsonObject])[] = [
  ['server/discover', {}],
  ['tools/list', {}],
  ['prompts/list', {}],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['resources/read', { uri: 'note:1' }],
]

describe('In 2026-07-28', () => {
  it.each(
    cacheable,
  )('CACHE-001 CACHE-004 %s has cache hints: by default the result may not be cached, and is private', async (method, params) => {
    await using t = await judged(shop())
    expect(await t.request(method, params)).toMatchObject({ ttlMs: 0, cacheScope: 'private' })
  })

  it.each(cacheable)('CACHE-001 %s has the configured values', async (method, params) => {
    await using t = await judged(shop({ cache: { ttlMs: 60_000, scope: 'public' } }))
    // The content may depend on the caller, and the server cannot know.
    expect(await t.request(method, params)).toMatchObject({
      ttlMs: 60_000,
      cacheScope: method === 'resources/read' ? 'private' : 'public',
    })
  })

  it.each(['tools/call', 'prompts/get'])('CACHE-001 %s has no cache hints', async (method) => {
    await using t = await judged(shop({ cache: { ttlMs: 60_000 } }))
    const result = await t.request(method, { name: method === 'tools/call' ? 'hello' : 'greet' })
    expect(Object.keys(result)).not.toContain('ttlMs')
    expect(Object.keys(result)).not.toContain('cacheScope')
  })

  it.each([
    { ttlMs: -1 },
    { ttlMs: 1.5 },
    { ttlMs: Number.NaN },
    { ttlMs: '5' },
    { scope: 'shared' },
    { scope: '' },
  ])('CACHE-002 %j is refused', (cache) => {
    expect(() => shop({ cache })).toThrow(/`cache` cannot have/)
  })

  it('CACHE-003 all pages of a list have the same scope', async () => {
    const scopesOf = async (tools: object, scopes: string[]) => {
      await using t = await judged(shop({ tools, pageSize: 1, cache: { ttlMs: 1_000, scope: 'public' } }), {
        caller: { id: 'c', scopes },
      })
      const pages = [await t.request('tools/list')]
      for (let cursor = pages[0]?.nextCursor; cursor !== undefined; cursor = pages.at(-1)?.nextCursor)
        pages.push(await t.request('tools/list', { cursor }))
      return pages.map(({ cacheScope }) => cacheScope)
    }
    // Cursors belong to their callers, and so do pages.
    expect(await scopesOf({ hello, bye: hello, later: hello }, [])).toEqual(['private', 'private', 'private'])
    expect(await scopesOf({ hello }, [])).toEqual(['public'])
    expect(await scopesOf({ hello, bye: hello, secret }, [])).toEqual(['private', 'private'])
    expect(await scopesOf({ hello, bye: hello, secret }, ['few'])).toEqual(['private', 'private', 'private'])
  })

  it.each([
    ['by scopes', { tools: { hello, secret } }],
    ['by a policy', { policies: [{ name: 'nights', list: (tools) => tools } satisfies Policy] }],
  ])('CACHE-004 a list that depends on the caller %s is private for all callers', async (_, more) => {
    for (const scopes of [[], ['few'], ['*']]) {
      await using t = await judged(shop({ ...more, cache: { ttlMs: 1_000, scope: 'public' } }), { caller: { id: 'c', scopes } })
      expect([scopes, (await t.request('tools/list')).cacheScope]).toEqual([scopes, 'private'])
    }
  })

  it('CACHE-004 the same applies to resources, templates and prompts', async () => {
    const scopes = ['few']
    const guarded = {
      resources: {
        note: resource({ uri: 'note:1', scopes, read: () => '' }),
        notes: template({ uriTemplate: 'n:{x}', scopes, read: () => '' }),
      },
      prompts: { greet: prompt({ scopes, run: () => '' }) },
    }
    for (const held of [[], scopes]) {
      await using t = await judged(shop({ ...guarded, cache: { ttlMs: 1_000, scope: 'public' } }), {
        caller: { id: 'c', scopes: held },
      })
      for (const method of ['resources/list', 'resources/templates/list', 'prompts/list']) {
        expect([method, (await t.request(method)).cacheScope]).toEqual([method, 'private'])
      }
    }
  })

  it.each([
    ['a text', 'Use hello', {}, 'public'],
    ['the tools, which are the same for all', (all: readonly object[]) => `Use ${all.length}`, {}, 'public'],
    [
      'the tools, of which scopes hide some',
      (all: readonly object[]) => `Use ${all.length}`,
      { tools: { hello, secret } },
      'private',
    ],
    ['a text, though scopes hide some tools', 'Use hello', { tools: { hello, secret } }, 'public'],
  ])('CACHE-004 server/discover with instructions from %s', async (_, instructions, more, scope) => {
    const app = shop({ instructions, ...more, cache: { ttlMs: 1_000, scope: 'public' } })
    for (const scopes of [[], ['few']]) {
      await using t = await judged(app, { caller: { id: 'c', scopes } })
      expect((await t.request('server/discover')).cacheScope).toBe(scope)
    }
  })

  it('CACHE-005 a tool from a shared list is still refused to callers without access', async () => {
    const app = shop({ tools: { hello, secret }, cache: { ttlMs: 60_000, scope: 'public' } })
    await using admin = await judged(app, { caller: { id: 'admin', scopes: ['few'] } })
    await using guest = await judged(app, { caller: { id: 'guest', scopes: [] } })
    expect(await admin.request('tools/list')).toMatchObject({ tools: [{ name: 'hello' }, { name: 'secret' }] })
    expect(await admin.call('secret')).toMatchObject({ content: [{ text: 'secret' }] })
    await expect(guest.call('secret')).rejects.toMatchObject({ code: -32602 })
  })

  it('CACHE-006 a question may not be cached', async () => {
    const { pipe } = await speaking(shop({ cache: { ttlMs: 60_000 } }), '2026-07-28')
    const { result } = await pipe.ask('resources/read', { uri: 'ask:1', ...said({ elicitation: { form: {} } }) })
    expect(Object.keys(result ?? {}).sort()).toEqual(['_meta', 'inputRequests', 'requestState', 'resultType'])
  })
})

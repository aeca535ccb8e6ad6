// The aggregated lists for callers: names, order, overrides, sets, and changes of the upstreams.
import { server, tool } from 'toolwire'
import type { Policy } from 'toolwire/guard'
import type { AnyTool } from 'toolwire/relay'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { AggregateServer } from '../../src/catalog/aggregate-server.js'
import { UpstreamCatalogs } from '../../src/catalog/upstream-catalog.js'
import {
  askingServer,
  child,
  client,
  eventually,
  gateway,
  http,
  listening,
  modern,
  program,
  revisions,
  subscribed,
  upstream,
  words,
} from '../support/upstream-fixture.js'

const about = { name: 'gateway', version: '1.0.0' }
const plain = (says: string, more: { input?: z.ZodType; hints?: object } = {}) =>
  tool({ description: says, ...more, run: (input: unknown) => `${says} ${JSON.stringify(input)}` } as Parameters<typeof tool>[0])

async function behind(tools: Record<string, AnyTool>) {
  const app = server({ name: 'whatever it calls itself', version: '1.0.0', tools })
  const { url } = await listening(app)
  return { app, target: http(url) }
}

const names = async (url: string, revision?: string) =>
  (await (await client(url, revision === undefined ? {} : { revision })).listTools()).map(({ name }) => name)

describe('the tools of several upstreams', () => {
  it.each(revisions)('GW-010 GW-011 are listed together, in one order, for a client of %s', async (revision) => {
    const one = await behind({ b: plain('b'), a: plain('a') })
    const other = await behind({ c: plain('c') })
    const expected = ['one__a', 'one__b', 'two__c']
    for (const order of [
      [upstream('two', other.target), upstream('one', one.target)],
      [upstream('one', one.target), upstream('two', other.target)],
    ])
      expect(await names((await gateway(order)).url, revision)).toEqual(expected)
  })

  it("GW-011 are paged, with the gateway's own cursors, and may not be cached by shared caches", async () => {
    const one = await behind(Object.fromEntries([...'edcba'].map((name) => [name, plain(name)])))
    const { url } = await gateway([upstream('one', one.target)], { server: { pageSize: 2 } })
    const caller = await client(url, { revision: modern })
    const page = await caller.request('tools/list')
    expect(page).toMatchObject({ ttlMs: 0, cacheScope: 'private', tools: [{ name: 'one__a' }, { name: 'one__b' }] })
    expect(await names(url)).toEqual(['a', 'b', 'c', 'd', 'e'].map((name) => `one__${name}`))
  })

  it('GW-012 are listed and callable while another upstream is down', async () => {
    const one = await behind({ a: plain('a') })
    const dead = upstream('dead', http('http://127.0.0.1:1/mcp'))
    const missing = upstream('missing', child(program('no-such-server.mjs')))
    const { url, notes } = await gateway([dead, upstream('one', one.target), missing])
    expect(await names(url)).toEqual(['one__a'])
    expect(words(await (await client(url)).call('one__a'))).toContain('a')
    // A list does not wait for a server that takes long to fail.
    await vi.waitFor(() => expect(dead.status).toMatchObject({ state: 'failing' }), 60_000)
    await vi.waitFor(() => expect(missing.status.why).toBeDefined(), 60_000)
    expect(notes).toBeDefined()
  })

  it('GW-012 stay listed while their upstream is away, and a call reports it', async () => {
    const one = await behind({ a: plain('a') })
    const { target } = await askingServer('2025-11-25', 'pipe')
    const asking = upstream('asking', target)
    const { url } = await gateway([upstream('one', one.target), asking])
    await asking.close()
    const caller = await client(url)
    expect((await caller.listTools()).map(({ name }) => name)).toContain('asking__sum')
    const result = await caller.call('asking__sum', { a: 1, b: 2 })
    expect(result).toMatchObject({ isError: true, _meta: { 'dev.toolwire/failure': 'unavailable' } })
    expect(words(await caller.call('one__a'))).toContain('a')
  })

  it('are withheld if their name is taken', async () => {
    const one = await behind({ a: plain('a'), b: plain('b') })
    const { url, offer } = await gateway([upstream('one', one.target, { tools: { b: { rename: 'a' } } })])
    expect(await names(url)).toEqual(['one__a'])
    expect(offer.withheld).toEqual([{ upstream: 'one', kind: 'tools', name: 'b', why: 'one has one__a already' }])
  })
})

describe('capabilities', () => {
  it.each(['2025-11-25', modern])('GW-010 are the union over all upstreams, in %s', async (revision) => {
    const one = await behind({ a: plain('a') })
    const { url } = await gateway([upstream('one', one.target)])
    const { capabilities } = (await client(url, { revision })).server
    expect(capabilities).toMatchObject({ tools: { listChanged: true } })
    expect(capabilities.prompts).toBeUndefined()
    expect(capabilities.resources).toBeUndefined()
    const { target } = await askingServer(undefined, 'http')
    const prompts = server({ name: 'p', version: '1.0.0', prompts: {} })
    const mixed = await gateway([upstream('asking', target), upstream('p', http((await listening(prompts)).url))])
    expect((await client(mixed.url, { revision })).server.capabilities).toMatchObject({
      tools: {},
      prompts: { listChanged: true },
    })
  })
})

describe('a change at an upstream', () => {
  const pairs = [modern, '2025-11-25', '2025-03-26'].flatMap((behindIt) =>
    [modern, '2025-11-25'].map((caller) => [behindIt, caller] as const),
  )
  it.each(pairs)('of %s is announced to a client of %s, and only for the changed list', async (revision, caller) => {
    const one = await behind({ a: plain('a'), b: plain('b') })
    const { url, offer } = await gateway([upstream('one', one.target, { revision })])
    const listener = await client(url, { revision: caller })
    let changes = 0
    listener.onChange(({ kind }) => kind === 'tools' && changes++)
    if (revision === modern) await subscribed(one.app)
    if (caller === modern) await subscribed(offer.server)
    one.app.tools.add('c', plain('c'))
    await eventually(() => changes === 1)
    expect((await listener.listTools()).map(({ name }) => name)).toEqual(['one__a', 'one__b', 'one__c'])
    one.app.tools.remove('a')
    await eventually(() => changes === 2)
    expect((await listener.listTools()).map(({ name }) => name)).toEqual(['one__b', 'one__c'])
    one.app.tools.replace('b', one.app.tools.names.includes('b') ? plain('b') : plain('never'))
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(changes).toBe(2)
  })
})

describe("the operator's config", () => {
  const input = z.object({ path: z.string(), mode: z.string(), owner: z.string().optional() })

  it('renames, hides, describes, and sets hints', async () => {
    const one = await behind({ a: plain('a', { hints: { readOnly: true, destructive: false } }), b: plain('b'), c: plain('c') })
    const tools = {
      a: { rename: 'list', title: 'List', description: 'Ours', hints: { readOnly: false } },
      b: { hidden: true },
    }
    const { url } = await gateway([upstream('one', one.target, { tools })])
    const caller = await client(url)
    const [second, first] = await caller.listTools()
    expect(first?.definition).toMatchObject({
      name: 'one__list',
      title: 'List',
      description: 'Ours',
      annotations: { readOnlyHint: false, destructiveHint: false },
    })
    expect(second?.name).toBe('one__c')
    expect(words(await caller.call('one__list'))).toContain('a')
    await expect(caller.call('one__b')).rejects.toMatchObject({ code: 'not_offered' })
  })

  it("GW-017 overrides the hints of a tool, and a server's own hints need trust", async () => {
    const one = await behind({ a: plain('a', { hints: { readOnly: true } }) })
    const hints: unknown[] = []
    const look: Policy = {
      name: 'look',
      call: async (call, next) => {
        hints.push(call.tool.definition.hints)
        return next(call)
      },
    }
    const ups = [
      upstream('stranger', one.target),
      upstream('friend', one.target, { trusted: true }),
      upstream('known', one.target, { tools: { a: { hints: { idempotent: true } } } }),
    ]
    const { url } = await gateway(ups, { server: { policies: [look] } })
    const caller = await client(url)
    for (const id of ['stranger', 'friend', 'known']) await caller.call(`${id}__a`)
    expect(hints).toMatchObject([
      { readOnly: false, destructive: true, idempotent: false },
      { readOnly: true, destructive: false },
      { readOnly: false, idempotent: true },
    ])
  })

  it('fixes arguments that callers neither see nor choose', async () => {
    const one = await behind({ write: plain('write', { input }) })
    const tools = { write: { arguments: { mode: 'append', owner: 'gateway' } } }
    const { url } = await gateway([upstream('one', one.target, { tools })])
    const caller = await client(url, { listFirst: false })
    const [write] = await caller.listTools()
    expect(write?.inputSchema).toMatchObject({ properties: { path: {} }, required: ['path'] })
    expect(Object.keys(write?.inputSchema.properties as object)).toEqual(['path'])
    expect(words(await caller.call('one__write', { path: '/a' }))).toBe('write {"path":"/a","mode":"append","owner":"gateway"}')
    const unlisted = await client(url, { listFirst: false, revision: '2025-11-25' })
    const refused = await unlisted.call('one__write', { path: '/a', mode: 'replace' })
    expect(refused.isError).toBe(true)
    expect(words(refused)).toContain('"mode" is set by the operator')
  })

  it('offers some of the tools in a set, by patterns over the exposed names', async () => {
    const one = await behind({ read: plain('read'), write: plain('write') })
    const two = await behind({ read: plain('read') })
    const ups = [upstream('one', one.target), upstream('two', two.target, { only: ['r*'] })]
    expect(await names((await gateway(ups, { only: ['one__*'] })).url)).toEqual(['one__read', 'one__write'])
    const readers = await gateway(ups, { only: ['*__read'] })
    expect(await names(readers.url)).toEqual(['one__read', 'two__read'])
    await expect((await client(readers.url)).call('one__write')).rejects.toMatchObject({ code: 'not_offered' })
  })

  it('opens a lazy upstream when it is needed, and lists it once for all sets', async () => {
    let lists = 0
    const one = await behind({ a: plain('a') })
    const { url } = await listening(one.app, {
      authenticate: async ({ header }) => {
        if (header('mcp-method') === 'tools/list') lists++
        return { id: 'gateway', scopes: [] }
      },
    })
    const lazy = upstream('lazy', http(url, { authorization: 'Bearer x' }), { lazy: true, revision: modern })
    const catalogs = new UpstreamCatalogs()
    const sets = [undefined, ['*__a'], ['nothing']].map(
      (only) => new AggregateServer({ upstreams: [lazy], catalogs, server: about, ...(only && { only }) }),
    )
    onTestFinished(() => {
      for (const set of sets) set.close()
    })
    await Promise.all(sets.map((set) => set.open('eager')))
    expect(lazy.status.state).toBe('idle')
    await Promise.all(sets.map((set) => set.open()))
    expect(sets.map((set) => set.server.tools.names)).toEqual([['lazy__a'], ['lazy__a'], []])
    expect(lists).toBe(1)
    const late = new AggregateServer({ upstreams: [lazy], catalogs, server: about })
    await late.made()
    expect(late.server.tools.names).toEqual(['lazy__a'])
    late.close()
  })

  it('can expose a single upstream unchanged', async () => {
    const one = await behind({ read: plain('read'), a__b: plain('a__b') })
    const { url } = await gateway([upstream('one', one.target, { prefix: false })])
    expect(await names(url)).toEqual(['a__b', 'read'])
    expect(words(await (await client(url)).call('a__b'))).toContain('a__b')
  })
})

// Clients with a custom view of the tools.
import { server, tool } from 'toolwire'
import { type Client, connect, memoryRevisions } from 'toolwire/client'
import type { ReadyTool } from 'toolwire/guard'
import { type AnyTool, relay, type types } from 'toolwire/relay'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { since } from '../../revisions.js'

const asked: string[] = []
const briefly: types.ToolView = ({ name, listed }) => {
  asked.push(name)
  return name === 'secret' ? undefined : { ...listed, description: 'Brief', outputSchema: { type: 'object' } }
}
const tools = {
  find: tool({ description: 'Finds', run: () => 'found' }),
  secret: tool({ description: 'Hides', run: () => 'hidden' }),
  count: tool({ description: 'Counts', output: z.number(), run: () => 3 }),
}
const shop = (more: object = {}) =>
  server({
    name: 'shop',
    version: '1.0.0',
    tools,
    http: { hosts: 'any' },
    showingFor: (clientInfo) => (clientInfo?.name === 'brief' ? briefly : undefined),
    ...more,
  })

async function client(app: ReturnType<typeof shop>, name: string, revision: string): Promise<Client> {
  const made = await connect('http://shop.example/mcp', {
    fetch: (request) => app.fetch(request),
    clientInfo: { name, version: '1' },
    verdicts: memoryRevisions(),
    revision,
  })
  onTestFinished(() => made.close())
  return made
}

const shown = async (of: Client) => (await of.listTools({ fresh: true })).map(({ name, description }) => [name, description])
const definitionOf = async (of: Client, name: string) =>
  (await of.listTools({ fresh: true })).find((one) => one.name === name)?.definition

describe.each(since('2025-03-26'))('a client of %s with a custom view', (revision) => {
  it('lists the changed tools without the omitted ones, while other clients list the originals', async () => {
    const app = shop()
    const [brief, other] = [await client(app, 'brief', revision), await client(app, 'other', revision)]
    for (const _ of ['again', 'from what is kept']) {
      expect(await shown(brief)).toEqual([
        ['find', 'Brief'],
        ['count', 'Brief'],
      ])
      expect(await shown(other)).toEqual([
        ['find', 'Finds'],
        ['secret', 'Hides'],
        ['count', 'Counts'],
      ])
    }
  })

  it('calls the original tools, even omitted ones', async () => {
    const brief = await client(shop(), 'brief', revision)
    const called = (name: string) => brief.request('tools/call', { name, arguments: {} })
    expect(await called('secret')).toMatchObject({ content: [{ text: 'hidden' }] })
    expect(await called('count')).toMatchObject({ content: [{ text: '3' }] })
  })

  it('sees changes at once', async () => {
    const app = shop()
    const brief = await client(app, 'brief', revision)
    await shown(brief)
    app.tools.remove('count')
    app.tools.add('more', tools.find)
    expect(await shown(brief)).toEqual([
      ['find', 'Brief'],
      ['more', 'Brief'],
    ])
  })

  it('is not shown an output schema that its results do not match', async () => {
    const brief = await client(shop(), 'brief', revision)
    // In older revisions a number is wrapped in an object, which would not match the shown schema.
    expect(await definitionOf(brief, 'count')).not.toHaveProperty('outputSchema')
    const app = shop({
      tools: { find: relay({ name: 'x', inputSchema: { type: 'object' }, outputSchema: { type: 'object' } }, relayed) },
    })
    const kept = await definitionOf(await client(app, 'brief', revision), 'find')
    if (revision >= '2025-06-18') expect(kept).toHaveProperty('outputSchema', { type: 'object' })
  })
})

const relayed = { run: async () => ({ content: [], isError: false }) }

describe('the list of a custom view', () => {
  it('is made once, and then cached', async () => {
    const brief = await client(shop(), 'brief', '2026-07-28')
    asked.length = 0
    for (let at = 0; at < 3; at++) await shown(brief)
    expect(asked).toEqual(['find', 'secret', 'count'])
  })

  it('yields to other work while it is made, and is not cached if the tools have changed meanwhile', async () => {
    const slowly: types.ToolView = ({ listed }) => {
      for (const end = performance.now() + 25; performance.now() < end; );
      return listed
    }
    const app = shop({ showingFor: () => slowly })
    const one = await client(app, 'any', '2026-07-28')
    const ended: string[] = []
    const list = shown(one).then(() => ended.push('list'))
    await new Promise((resolve) => setTimeout(resolve))
    app.tools.remove('count')
    ended.push('change')
    await list
    expect(ended).toEqual(['change', 'list'])
    expect((await shown(one)).map(([name]) => name)).toEqual(['find', 'secret'])
  })

  it('is complete, whatever the number of pages', async () => {
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [n % 3 ? `t${n}` : `secret${n}`, tools.find]))
    const without = ({ name, listed }: ReadyTool) => (name.startsWith('secret') ? undefined : listed)
    const app = shop({ tools: many as Record<string, AnyTool>, pageSize: 2, showingFor: () => without })
    const names = (await shown(await client(app, 'any', '2026-07-28'))).map(([name]) => name)
    expect(names).toEqual(['t1', 't2', 't4', 't5', 't7', 't8'])
  })

  it('may not be cached publicly, and neither may the original one', async () => {
    const app = shop({ cache: { ttlMs: 1_000, scope: 'public' } })
    for (const name of ['brief', 'other'])
      expect(await (await client(app, name, '2026-07-28')).request('tools/list')).toHaveProperty('cacheScope', 'private')
    const same = shop({ cache: { ttlMs: 1_000, scope: 'public' }, showingFor: undefined })
    expect(await (await client(same, 'other', '2026-07-28')).request('tools/list')).toHaveProperty('cacheScope', 'public')
  })
})

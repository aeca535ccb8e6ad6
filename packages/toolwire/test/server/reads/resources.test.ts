import { DefinitionError, inputRequired, reply, resource, server, template, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/json.js'
import { judged } from '../../official-schemas.js'
import { faults } from '../../reported-faults.js'
import { every, since, until } from '../../revisions.js'
import { speaking } from '../pipe.js'

const note = resource({ uri: 'note://today', mimeType: 'text/plain', read: () => 'milk' })
const logo = resource({ uri: 'logo://large', mimeType: 'image/png', read: () => new Uint8Array([1, 2, 3]) })
const both = resource({
  uri: 'all://',
  read: () => [
    { uri: 'all://a', text: 'a' },
    { uri: 'all://b', blob: 'Yg==' },
  ],
})
const page = template({ uriTemplate: 'page://{id}', read: ({ id }) => (id === 'none' ? undefined : `page ${id}`) })
const app = server({ name: 'a', version: '1', resources: { note, logo, both, page } })
const unwatchable = {
  still: resource({ uri: 'still://1', watchable: false, read: () => 'x' }),
  stills: template({ uriTemplate: 'stills://{id}', watchable: false, read: () => 'x' }),
}

describe.each(every)('Resources at %s', (revision) => {
  it('RSRC-001 are declared with their methods if they are served', async () => {
    const opened = async (one: typeof app) => {
      await using t = await judged(one, { revision })
      const { capabilities } =
        revision === '2026-07-28' ? await t.request('server/discover') : ((t.frames[1]?.message.result ?? {}) as JsonObject)
      const found = (method: string, params?: JsonObject) =>
        t.request(method, params).then(
          () => true,
          ({ code }) => code !== -32601,
        )
      const served = [
        await found('resources/list'),
        await found('resources/templates/list'),
        await found('resources/read', { uri: 'note://today' }),
      ]
      return { declared: 'resources' in (capabilities as JsonObject), served }
    }
    expect(await opened(app)).toEqual({ declared: true, served: [true, true, true] })
    const without = server({ name: 'a', version: '1', tools: {} }) as typeof app
    expect(await opened(without)).toEqual({ declared: false, served: [false, false, false] })
  })

  it('RSRC-001 are listed with their URIs, apart from templates', async () => {
    await using t = await judged(app, { revision })
    expect(await t.request('resources/list')).toMatchObject({
      resources: [{ uri: 'note://today', name: 'note', mimeType: 'text/plain' }, { uri: 'logo://large' }, { uri: 'all://' }],
    })
    expect(await t.request('resources/templates/list')).toMatchObject({
      resourceTemplates: [{ uriTemplate: 'page://{id}', name: 'page' }],
    })
  })

  it('RSRC-003 are read as either text or bytes', async () => {
    await using t = await judged(app, { revision })
    const read = async (uri: string) => (await t.request('resources/read', { uri })).contents
    expect(await read('note://today')).toEqual([{ uri: 'note://today', mimeType: 'text/plain', text: 'milk' }])
    expect(await read('logo://large')).toEqual([{ uri: 'logo://large', mimeType: 'image/png', blob: 'AQID' }])
    expect(await read('all://')).toEqual([
      { uri: 'all://a', text: 'a' },
      { uri: 'all://b', blob: 'Yg==' },
    ])
    expect(await read('page://7')).toEqual([{ uri: 'page://7', text: 'page 7' }])
  })

  it.each([
    ['neither', { uri: 'x://1' }],
    ['both', { uri: 'x://1', text: 'a', blob: 'YQ==' }],
    ['bytes that are not base64', { uri: 'x://1', blob: 'not base64!' }],
    ['no URI', { text: 'a' }],
    ['a URI that is none', { uri: 'nowhere', text: 'a' }],
  ])('RSRC-003 are not returned with %s', async (_, contents) => {
    const wrong = resource({ uri: 'x://1', read: () => contents as never })
    await using t = await judged(server({ name: 'a', version: '1', resources: { wrong } }), { revision })
    await expect(t.request('resources/read', { uri: 'x://1' })).rejects.toMatchObject({ code: -32603 })
    expect(faults.map(({ fault }) => fault)).toEqual([expect.any(DefinitionError)])
  })

  const missing = revision === '2026-07-28' ? -32602 : -32002
  it.each([
    'note://tomorrow',
    'page://none',
    'nobody://home',
  ])(`${missing === -32602 ? 'RSRC-004' : 'RSRC-005'} %s, which does not exist, causes an error that names it`, async (uri) => {
    await using t = await judged(app, { revision })
    await expect(t.request('resources/read', { uri })).rejects.toMatchObject({ code: missing, data: { uri } })
  })

  if (missing === -32602)
    it('RSRC-004 a resource without contents causes an error, and not an empty list', async () => {
      const empty = resource({ uri: 'x://1', read: () => [] })
      await using t = await judged(server({ name: 'a', version: '1', resources: { empty } }), { revision })
      await expect(t.request('resources/read', { uri: 'x://1' })).rejects.toThrow()
    })

  it.each([
    undefined,
    5,
    '',
    'today',
    '//host/x',
    '1x://y',
    'no te://x',
    'note://a b',
    'note://a\u0000b',
    'note://a\nb',
  ])('RSRC-007 %j is an invalid URI', async (uri) => {
    await using t = await judged(app, { revision, lenient: true })
    await expect(t.request('resources/read', { uri: uri as string })).rejects.toMatchObject({ code: -32602 })
  })

  it('RSRC-011 are authorized for each read, and look missing without access', async () => {
    const own = template({
      uriTemplate: 'diary://{who}',
      read: ({ who }, ctx) => (ctx.caller.id === who ? `Dear diary` : undefined),
    })
    const staff = resource({ uri: 'staff://list', scopes: ['staff'], read: () => 'names' })
    const link = tool({ run: (_, ctx) => reply.link({ uri: `diary://${ctx.caller.id}`, name: 'diary' }) })
    const one = server({ name: 'a', version: '1', tools: { link }, resources: { own, staff } })
    await using ada = await judged(one, { revision, caller: { id: 'ada', scopes: ['staff'] } })
    await using bob = await judged(one, { revision, caller: { id: 'bob', scopes: [] } })
    expect(JSON.stringify(await ada.call('link'))).toContain('diary://ada')
    for (const uri of ['diary://ada', 'staff://list']) {
      expect(await ada.request('resources/read', { uri })).toHaveProperty('contents')
      await expect(bob.request('resources/read', { uri })).rejects.toMatchObject({ code: missing, message: 'Resource not found' })
    }
    expect(await bob.request('resources/list')).toMatchObject({ resources: [] })
  })
})

it.each(since('2025-06-18'))('RSRC-002 a link from a tool can be read from the same server, at %s', async (revision) => {
  const find = tool({
    run: () =>
      reply.content(
        reply.link({ uri: 'note://today', name: 'note' }),
        reply.link({ uri: 'page://a%2Fb?c', name: 'page' }),
        reply.link({ uri: 'page://7', name: 'page' }),
      ),
  })
  const wide = template({ uriTemplate: 'page://{id}{?more*}', read: ({ id }) => `page ${id}` })
  await using t = await judged(server({ name: 'a', version: '1', tools: { find }, resources: { note, wide } }), { revision })
  const links = (await t.call('find')).content as { type: string; uri: string }[]
  expect(links.map(({ type }) => type)).toEqual(['resource_link', 'resource_link', 'resource_link'])
  for (const { uri } of links.filter((link) => !link.uri.includes('?')))
    expect(await t.request('resources/read', { uri })).toMatchObject({ contents: [{ uri }] })
})

describe.each(until('2025-11-25'))('Subscribing to a resource at %s', (revision) => {
  const updated = 'notifications/resources/updated'

  it('RSRC-008 delivers changes until it is unsubscribed', async () => {
    const live = server({ name: 'a', version: '1', resources: { note, page } })
    await using t = await judged(live, { revision })
    expect((await t.request('resources/subscribe', { uri: 'note://today' })) ?? {}).toEqual({})
    await t.request('resources/subscribe', { uri: 'page://7' })
    live.resources.updated('note://today')
    live.resources.updated('page://8')
    live.resources.updated('page://7')
    const seen = () => t.heard(updated).map(({ params }) => (params as JsonObject).uri)
    await expect.poll(seen).toEqual(['note://today', 'page://7'])
    await t.request('resources/unsubscribe', { uri: 'note://today' })
    live.resources.updated('note://today')
    live.resources.updated('page://7')
    await expect.poll(seen).toEqual(['note://today', 'page://7', 'page://7'])
  })

  it('RSRC-008 is declared, and affects no other client', async () => {
    const live = server({ name: 'a', version: '1', resources: { note } })
    await using t = await judged(live, { revision })
    await using other = await judged(live, { revision })
    expect(((t.frames[1]?.message.result as JsonObject).capabilities as JsonObject).resources).toMatchObject({ subscribe: true })
    await t.request('resources/subscribe', { uri: 'note://today' })
    live.resources.updated('note://today')
    await expect.poll(() => [t.heard(updated).length, other.heard(updated).length]).toEqual([1, 0])
  })

  it('notifies the server code at the first subscription and after the last', async () => {
    const live = server({ name: 'a', version: '1', resources: { note } })
    let changes = 0
    live.watched.onChange(() => changes++)
    await using t = await judged(live, { revision })
    for (const method of ['unsubscribe', 'subscribe', 'subscribe', 'unsubscribe', 'unsubscribe'])
      await t.request(`resources/${method}`, { uri: 'note://today' })
    expect(changes).toBe(2)
  })

  it('is limited to a number of characters of URIs in a session', async () => {
    const long = (n: number) => `page://${n}-${'x'.repeat(60_000)}`
    await using t = await judged(server({ name: 'a', version: '1', resources: { page } }), { revision })
    for (let n = 0; n < 17; n++) await t.request('resources/subscribe', { uri: long(n) })
    await expect(t.request('resources/subscribe', { uri: long(17) })).rejects.toMatchObject({ code: -32602 })
    await t.request('resources/unsubscribe', { uri: long(0) })
    await t.request('resources/subscribe', { uri: long(17) })
  })

  it('is refused for a resource that is missing or not accessible', async () => {
    const secret = resource({ uri: 'secret://1', scopes: ['spy'], read: () => 'x' })
    const live = server({ name: 'a', version: '1', resources: { secret } })
    await using t = await judged(live, { revision, caller: { id: 'ada', scopes: [] } })
    for (const uri of ['secret://1', 'nobody://1'])
      await expect(t.request('resources/subscribe', { uri })).rejects.toMatchObject({ code: -32002, data: { uri } })
  })

  it('is refused for a resource whose changes are never announced', async () => {
    const live = server({ name: 'a', version: '1', resources: unwatchable })
    await using t = await judged(live, { revision })
    for (const uri of ['still://1', 'stills://1'])
      await expect(t.request('resources/subscribe', { uri })).rejects.toMatchObject({ code: -32602 })
    expect(live.watched.uris.size).toBe(0)
  })
})

it('a subscription of 2026-07-28 does not include resources whose changes are never announced', async () => {
  const live = server({ name: 'a', version: '1', resources: { ...unwatchable, note } })
  const { ask } = await speaking(live, '2026-07-28')
  const resourceSubscriptions = ['still://1', 'stills://1', 'note://today']
  void ask('subscriptions/listen', { notifications: { resourceSubscriptions } })
  await expect.poll(() => live.watched.uris).toEqual(new Set(['note://today']))
})

it('RSRC-009 resources/subscribe is an unknown method in 2026-07-28', async () => {
  const { ask } = await speaking(app, '2026-07-28')
  for (const method of ['resources/subscribe', 'resources/unsubscribe'])
    expect((await ask(method, { uri: 'note://today' })).error).toMatchObject({ code: -32601 })
})

describe('The URI of a resource', () => {
  it.each(['note://x', 'a+b-c.d:x', 'urn:isbn:1', 'file:///a', 'x-y://z'])('RSRC-013 may be %s', (uri) => {
    expect(() => resource({ uri, read: () => 'x' })).not.toThrow()
  })

  it.each([
    '1note://x',
    'my_notes://x',
    '-x://y',
    '://x',
    'note',
    '/note',
    'no te:x',
    'nöte:x',
    '',
  ])('RSRC-013 may not be %j', (uri) => {
    expect(() => resource({ uri, read: () => 'x' })).toThrow(DefinitionError)
    expect(() => reply.link({ uri, name: 'x' })).toThrow(DefinitionError)
  })

  it.each([
    'my_notes://{x}',
    '1x://{x}',
    'nöte:{x}',
    '{x}',
    'note{x}://y',
    'plain/{x}',
  ])('RSRC-013 may not be the template %s', (uriTemplate) => {
    expect(() => template({ uriTemplate, read: () => 'x' })).toThrow(DefinitionError)
  })
})

it('RSRC-014 the list is the same on every connection of a caller, whatever was requested before', async () => {
  const listOf = async (before: (t: Awaited<ReturnType<typeof judged>>) => Promise<unknown>, capabilities: JsonObject = {}) => {
    await using t = await judged(app, { capabilities })
    await before(t)
    return await t.request('resources/list')
  }
  const fresh = await listOf(async () => undefined)
  expect(await listOf((t) => t.request('resources/read', { uri: 'note://today' }))).toEqual(fresh)
  expect(await listOf((t) => t.request('server/discover'), { roots: {}, sampling: {} })).toEqual(fresh)
  expect(await listOf((t) => t.request('resources/read', { uri: 'nobody://1' }).catch(() => undefined))).toEqual(fresh)
})

it('a resource that asks a question gets its answer in every revision', async () => {
  const asks = resource({
    uri: 'x://1',
    read: (ctx) => (ctx.resumed ? JSON.stringify(ctx.resumed.state) : inputRequired({}, 'again')),
  })
  for (const revision of every) {
    await using t = await judged(server({ name: 'a', version: '1', resources: { asks } }), { revision })
    expect(await t.request('resources/read', { uri: 'x://1' })).toMatchObject({ contents: [{ text: '"again"' }] })
  }
})

import { prompt, resource, server, template, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/json.js'
import type { Harness } from '../../../src/testing/harness.js'
import { judged } from '../../official-schemas.js'
import { every } from '../../revisions.js'

const five = <T>(make: (at: number) => T): Record<string, T> =>
  Object.fromEntries([0, 1, 2, 3, 4].map((at) => [`n${at}`, make(at)]))
const hello = (scopes: string[] = []) => tool({ description: 'Says hello', scopes, run: () => 'hello' })

const shop = (more: object = {}) =>
  server({
    name: 'shop',
    version: '1.0.0',
    pageSize: 2,
    secret: 'the same in every replica, thirty-two characters',
    tools: five(() => hello()),
    resources: {
      ...five((at) => resource({ uri: `r:${at}`, read: () => '' })),
      ...Object.fromEntries([0, 1, 2].map((at) => [`t${at}`, template({ uriTemplate: `t${at}:{x}`, read: () => '' })])),
    },
    prompts: five(() => prompt({ run: () => '' })),
    ...more,
  })

const lists = [
  ['tools/list', 'tools', 5],
  ['resources/list', 'resources', 5],
  ['resources/templates/list', 'resourceTemplates', 3],
  ['prompts/list', 'prompts', 5],
] as const

type Asking = Pick<Harness<never>, 'request'>
const namesOn = (page: JsonObject, member = 'tools') => (page[member] as { name: string }[]).map(({ name }) => name)

/** All pages after a cursor. No list here has as many as nine. */
async function pagesOf(t: Asking, method: string, cursor?: Json): Promise<JsonObject[]> {
  const pages: JsonObject[] = []
  let next = cursor
  do {
    pages.push(await t.request(method, next === undefined ? {} : { cursor: next }))
    next = pages.at(-1)?.nextCursor
  } while (typeof next === 'string' && pages.length < 9)
  return pages
}

/** The text with one character changed to another that a token may have. */
const flipped = (text: string, at: number) => text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)

describe.each(every)('In %s', (revision) => {
  it.each(lists)('PAGE-001 %s is paginated, and the last page has no cursor', async (method, member, count) => {
    await using t = await judged(shop(), { revision })
    const pages = await pagesOf(t, method)
    expect(pages.map((page) => (page[member] as Json[]).length)).toEqual(count === 5 ? [2, 2, 1] : [2, 1])
    expect(new Set(pages.flatMap((page) => namesOn(page, member))).size).toBe(count)
    expect(Object.keys(pages.at(-1) ?? {})).not.toContain('nextCursor')
  })

  it.each(lists)('PAGE-007 %s refuses an unknown cursor', async (method) => {
    await using t = await judged(shop(), { revision, lenient: true })
    await using stranger = await judged(shop({ secret: 'another secret, also with thirty-two characters' }), { revision })
    const other = method === 'tools/list' ? 'prompts/list' : 'tools/list'
    const forged = [
      'zzz',
      '',
      '2',
      5,
      null,
      {},
      (await t.request(other)).nextCursor,
      (await stranger.request(method)).nextCursor,
    ] as Json[]
    for (const cursor of forged) await expect(t.request(method, { cursor })).rejects.toMatchObject({ code: -32602 })
  })

  it('PAGE-008 a cursor with any bit changed is refused', async () => {
    await using t = await judged(shop(), { revision })
    const cursor = String((await t.request('tools/list')).nextCursor)
    for (const at of [0, 5, 16, 17, 30, Math.floor(cursor.length / 2), cursor.length - 2]) {
      await expect(t.request('tools/list', { cursor: flipped(cursor, at) })).rejects.toMatchObject({ code: -32602 })
    }
    expect(namesOn(await t.request('tools/list', { cursor }))).toEqual(['n2', 'n3'])
  })

  it('PAGE-008 a cursor stays valid while the list grows and shrinks, in another replica too', async () => {
    const [app, replica] = [shop(), shop()]
    await using t = await judged(app, { revision })
    const { nextCursor } = await t.request('tools/list')
    app.tools.remove('n0')
    app.tools.add('late', hello())
    expect((await pagesOf(t, 'tools/list', nextCursor)).flatMap((page) => namesOn(page))).toEqual(['n2', 'n3', 'n4', 'late'])
    app.tools.remove('n1')
    expect((await pagesOf(t, 'tools/list', nextCursor)).length).toBeGreaterThan(0)
    for (const name of app.tools.names) app.tools.remove(name)
    expect(await pagesOf(t, 'tools/list', nextCursor)).toEqual([expect.objectContaining({ tools: [] })])
    await using other = await judged(replica, { revision })
    expect(namesOn(await other.request('tools/list', { cursor: nextCursor ?? null }))).toEqual(['n2', 'n3'])
  })

  it('PAGE-008 a cursor reveals no tools of another caller', async () => {
    const app = shop({ tools: { ...five(() => hello()), a: hello(['admin']), b: hello(['admin']) }, pageSize: 3 })
    await using admin = await judged(app, { revision, caller: { id: 'admin', scopes: ['admin'] } })
    await using guest = await judged(app, { revision, caller: { id: 'guest', scopes: [] } })
    const pages = await pagesOf(admin, 'tools/list')
    const cursors = pages.flatMap(({ nextCursor }) => (nextCursor === undefined ? [] : [nextCursor]))
    expect(cursors.length).toBe(2)
    for (const cursor of cursors) await expect(guest.request('tools/list', { cursor })).rejects.toMatchObject({ code: -32602 })
  })

  it.each(lists)('PAGE-008 %s refuses the cursor of another caller like a forged one', async (method) => {
    const app = shop()
    const callers = ['ana', 'ben', 'ana:', 'a'].map((id) => ({ id, scopes: ['*'] }))
    const harnesses = await Promise.all(callers.map((caller) => judged(app, { revision, caller })))
    const forged = await harnesses[0]?.request(method, { cursor: 'zzz' }).catch(({ message }: Error) => message)
    for (const [from, giver] of harnesses.entries()) {
      const { nextCursor: cursor = null } = await giver.request(method)
      for (const [to, taker] of harnesses.entries()) {
        const asked = taker.request(method, { cursor })
        if (from === to) await expect(asked).resolves.toBeDefined()
        else await expect(asked).rejects.toMatchObject({ code: -32602, message: forged })
      }
    }
    for (const harness of harnesses) await harness[Symbol.asyncDispose]()
  })
})

it('PAGE-011 the pocket profile always has a cursor, an empty one on the last page', async () => {
  await using t = await judged(shop({ profile: 'pocket' }))
  for (const [method] of lists) {
    const cursors: Json[] = []
    for (let cursor: Json = ''; cursors.length < 9; ) {
      cursor = (await t.request(method, { cursor })).nextCursor ?? null
      cursors.push(cursor)
      if (cursor === '') break
    }
    expect(cursors.slice(0, -1)).toEqual(cursors.slice(0, -1).map(() => expect.stringMatching(/./)))
    expect([method, cursors.at(-1)]).toEqual([method, ''])
  }
})

it.each(lists)('RESULT-017 pages of %s end before they exceed the limit of a result', async (method, member) => {
  const text = 'é'.repeat(400)
  const many = <T>(make: (description: string, at: number) => T) =>
    Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`e${at}`, make(at === 7 ? text.repeat(9) : text, at)]))
  const app = server({
    name: 'wordy',
    version: '1.0.0',
    limits: { resultBytes: 5_000 },
    tools: many((description, at) => tool({ description, scopes: at < 20 ? ['user'] : [], run: () => '' })),
    resources: {
      ...many((description, at) => resource({ uri: `r:${at}`, description, read: () => '' })),
      ...Object.fromEntries(
        Object.entries(many((description, at) => template({ uriTemplate: `t${at}:{x}`, description, read: () => '' }))).map(
          ([name, made]) => [`t${name}`, made],
        ),
      ),
    },
    prompts: many((description) => prompt({ description, run: () => '' })),
    cache: { scope: 'public' },
  })
  // Each caller lists twice, and never receives a page for a cursor of the other.
  for (const caller of ['ada', 'bob', 'ada', 'bob']) {
    await using t = await judged(app, { caller: { id: caller, scopes: ['user'] } })
    const pages: JsonObject[] = []
    for (let cursor: Json | undefined = undefined; pages.length < 60; ) {
      pages.push(await t.request(method, cursor === undefined ? {} : { cursor }))
      cursor = pages.at(-1)?.nextCursor
      if (cursor === undefined) break
    }
    expect(pages.flatMap((page) => namesOn(page, member))).toHaveLength(40)
    for (const page of pages) {
      const isAlone = namesOn(page, member).length === 1
      expect(isAlone || Buffer.byteLength(JSON.stringify(page)) <= 5_000).toBe(true)
      expect(page.cacheScope).toBe('private')
    }
  }
})

/** The names of two views are the same text when joined by line breaks. */
const scopesByName: Record<string, string[]> = { a: ['user'], 'a\nb': ['admin'], 'b\nc': ['user'], c: ['admin'] }
const byName = <T>(make: (scopes: string[], at: number) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(scopesByName).map(([name, scopes], at) => [name, make(scopes, at)]))
const scopesOfCallers = { guest: [], user: ['user'], admin: ['admin'], root: ['*'] } as const
const orders = [
  ['root', 'guest', 'user', 'admin'],
  ['guest', 'root', 'admin', 'user'],
  ['user', 'admin', 'guest', 'root'],
  ['admin', 'user', 'root', 'guest'],
] as const

it.each(
  orders.flatMap((order) => [50, 2].map((pageSize) => [order, pageSize] as const)),
)('callers that list in the order %j, %i entries per page, see only their own entries', async (order, pageSize) => {
  const app = server({
    name: 'scoped',
    version: '1.0.0',
    pageSize,
    tools: Object.fromEntries(Object.values(scopesByName).map((scopes, at) => [`n${at}`, hello(scopes)])),
    resources: {
      ...byName((scopes, at) => resource({ uri: `r:${at}`, scopes, read: () => '' })),
      ...Object.fromEntries(
        Object.values(scopesByName).map((scopes, at) => [
          `t${at}`,
          template({ uriTemplate: `t${at}:{x}`, scopes, read: () => '' }),
        ]),
      ),
    },
    prompts: byName((scopes) => prompt({ scopes, run: () => '' })),
  })
  for (const caller of order) {
    const scopes: readonly string[] = scopesOfCallers[caller]
    await using t = await judged(app, { caller: { id: caller, scopes } })
    const allowed = Object.values(scopesByName).map((needed) => scopes.includes('*') || scopes.includes(needed[0] ?? ''))
    for (const [method, member] of lists) {
      const names = (await pagesOf(t, method)).flatMap((page) => namesOn(page, member))
      const all = member === 'prompts' || member === 'resources' ? Object.keys(scopesByName) : undefined
      const initial = member === 'tools' ? 'n' : 't'
      expect([caller, method, names]).toEqual([
        caller,
        method,
        allowed.flatMap((is, at) => (is ? [all?.[at] ?? `${initial}${at}`] : [])),
      ])
    }
  }
})

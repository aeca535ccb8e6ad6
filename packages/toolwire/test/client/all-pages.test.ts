// Paginated lists of tools.
import { describe, expect, it } from 'vitest'
import { connect } from '../../src/client/index.js'
import { TransportError } from '../../src/peer/client-transport.js'
import { server } from '../../src/server/server.js'
import { tool } from '../../src/tools/define-tool.js'
import { every, since, until } from '../revisions.js'
import { connectScripted, Fails, plainTool, type RequestHandler, textResult, toolsPage } from './scripted.js'

type Pages = readonly (readonly [names: readonly string[], next?: string])[]

/** Serves the pages: the first without a cursor, each other page by the cursor of its predecessor. */
function paged(pages: Pages): RequestHandler {
  return ({ params: { cursor } }) => {
    const index = cursor === undefined ? 0 : pages.findIndex(([, next]) => next === cursor) + 1
    const [names = [], next] = pages[index] ?? []
    return toolsPage(
      names.map((name) => plainTool(name)),
      next === undefined ? {} : { nextCursor: next },
    )
  }
}

const cursorsOf = (asked: readonly { params?: unknown }[]): unknown[] =>
  asked.map(({ params }) => (params as { cursor?: string } | undefined)?.cursor)
const namesOf = (tools: readonly { name: string }[]): string[] => tools.map(({ name }) => name)

describe.each(every)('%s', (revision) => {
  it('LIST-007 returns the whole list, and each tool once, even if a tool moves to another page meanwhile', async () => {
    const pages: Pages = [[['a', 'b'], 'p2'], [['b', 'c'], 'p3'], [[], 'p4'], [['e']]]
    const { client } = await connectScripted({ 'tools/list': paged(pages) }, { revision })
    expect(namesOf(await client.listTools())).toEqual(['a', 'b', 'c', 'e'])
  })

  it('LIST-008 skips a malformed tool with a warning, and keeps the others', async () => {
    const { client, warnings } = await connectScripted(
      {
        'tools/list': toolsPage([plainTool('good'), { name: 'broken', inputSchema: null }, plainTool('better')]),
        'tools/call': textResult('hi'),
      },
      { revision },
    )
    expect(namesOf(await client.listTools())).toEqual(['good', 'better'])
    expect(warnings).toEqual([expect.stringContaining('"broken" was dropped')])
    await expect(client.call('better')).resolves.toMatchObject({ isError: false })
  })

  it('PAGE-002 sends cursors back unchanged', async () => {
    const cursors = ['"quoted" \\ \u0000\ud83e\uded6é', '{"page":2}', '007', `${'x'.repeat(4_096)}=`, ' ', 'null']
    const pages: Pages = [...cursors.map((cursor) => [[], cursor] as const), [['last']]]
    const { client, server: scriptedServer } = await connectScripted({ 'tools/list': paged(pages) }, { revision })
    expect(namesOf(await client.listTools())).toEqual(['last'])
    expect(cursorsOf(scriptedServer.received('tools/list'))).toEqual([undefined, ...cursors])
  })

  it('PAGE-005 stops at the page without a next cursor', async () => {
    for (const pages of [[[['a']]], [[['a'], 'more'], [['b']]]] as Pages[]) {
      const { client, server: scriptedServer } = await connectScripted({ 'tools/list': paged(pages) }, { revision })
      expect(await client.listTools()).toHaveLength(pages.length)
      expect(scriptedServer.received('tools/list')).toHaveLength(pages.length)
    }
  })

  it('PAGE-006 accepts pages of any size, even empty ones', async () => {
    const pages: Pages = [[['a', 'b', 'c'], 'p2'], [[], 'p3'], [['d', 'e', 'f', 'g', 'h', 'i', 'j']]]
    const { client } = await connectScripted({ 'tools/list': paged(pages) }, { revision })
    expect(namesOf(await client.listTools()).join('')).toBe('abcdefghij')
  })

  it('PAGE-009 gives up on an endless list', async () => {
    let page = 0
    const endless: [RequestHandler, RegExp, number][] = [
      [() => toolsPage([], { nextCursor: 'again' }), /a repeated cursor/, 2],
      [() => toolsPage([], { nextCursor: `page ${page++}` }), /limits\.pages/, 5],
      [() => toolsPage([plainTool('a'), plainTool('b')], { nextCursor: `page ${page++}` }), /limits\.items/, 4],
    ]
    for (const [list, why, requests] of endless) {
      const options = { limits: { pages: 5, items: 7 } }
      const { client, server: scriptedServer } = await connectScripted({ 'tools/list': list }, { revision, options })
      await expect(client.listTools()).rejects.toMatchObject({ code: 'limit', message: expect.stringMatching(why) })
      expect(scriptedServer.received('tools/list')).toHaveLength(requests)
    }
  })

  it('PAGE-009 gives up on a list of few characters that takes much memory', async () => {
    let page = 0
    const _meta = { filler: Array.from({ length: 10_000 }, () => ({})) }
    const list = () => toolsPage([{ ...plainTool(`t${page}`), _meta }], { nextCursor: `page ${page++}` })
    // Two messages of 4,500,000: each page counts 640,000 for its objects, and has 31,000 characters.
    const { client, server: scriptedServer } = await connectScripted(
      { 'tools/list': list },
      { revision, options: { limits: { messageBytes: 4_500_000 } } },
    )
    await expect(client.listTools()).rejects.toMatchObject({ code: 'limit', message: expect.stringContaining('9000000') })
    expect(scriptedServer.received('tools/list')).toHaveLength(15)
  })

  it('PAGE-009 gives up on a list that takes too long', async () => {
    let page = 0
    const slow: RequestHandler = async () => {
      await new Promise((resolve) => setTimeout(resolve, 10))
      return toolsPage([], { nextCursor: `page ${page++}` })
    }
    const { client } = await connectScripted({ 'tools/list': slow }, { revision })
    await expect(client.listTools({ totalMs: 100 })).rejects.toMatchObject({ code: 'timed_out' })
  })
})

describe.each(until('2025-11-25'))('%s', (revision) => {
  it.each([
    'broken',
    'session-gone',
  ] as const)('PAGE-003 starts over without a cursor after the session ended between pages (%s)', async (code) => {
    let fails = true
    const list = paged([[['a'], 'p2'], [['b']]])
    const gone = new TransportError(code, 'gone', { sent: true })
    const { client, server: scriptedServer } = await connectScripted(
      {
        'tools/list': (request, on) => {
          if (request.params.cursor === undefined || !fails) return list(request, on)
          fails = false
          if (code === 'broken') on.hangUp(gone)
          return gone
        },
      },
      { revision },
    )
    expect(namesOf(await client.listTools())).toEqual(['a', 'b'])
    expect(scriptedServer.dials).toBe(2)
    expect(cursorsOf(scriptedServer.received('tools/list'))).toEqual([undefined, 'p2', undefined, 'p2'])
  })

  it('an empty cursor ends the list', async () => {
    const { client } = await connectScripted({ 'tools/list': paged([[['a'], ''], [['b']]]) }, { revision })
    expect(namesOf(await client.listTools())).toEqual(['a'])
  })
})

describe.each(since('2026-07-28'))('%s', (revision) => {
  it('PAGE-004 treats an empty cursor like any other', async () => {
    const { client, server: scriptedServer } = await connectScripted(
      { 'tools/list': paged([[['a'], ''], [['b']]]) },
      { revision },
    )
    expect(namesOf(await client.listTools())).toEqual(['a', 'b'])
    expect(cursorsOf(scriptedServer.received('tools/list'))).toEqual([undefined, ''])
  })

  it('PAGE-010 starts over once after a cursor was refused, and discards the earlier pages', async () => {
    let generation = 1
    const list: RequestHandler = ({ params: { cursor } }) => {
      if (cursor === undefined) return toolsPage([plainTool(`a${generation}`)], { nextCursor: `of ${generation}`, ttlMs: 60_000 })
      if (cursor === `of ${generation}`) return toolsPage([plainTool(`b${generation}`)])
      return new Fails(-32602, 'unknown cursor')
    }
    const { client, server: scriptedServer } = await connectScripted({ 'tools/list': list }, { revision })
    expect(namesOf(await client.listTools())).toEqual(['a1', 'b1'])
    generation = 2
    expect(namesOf(await client.listTools())).toEqual(['a2', 'b2'])
    expect(cursorsOf(scriptedServer.received('tools/list'))).toEqual([undefined, 'of 1', 'of 1', undefined, 'of 2'])
  })

  it('PAGE-010 does not start over endlessly', async () => {
    const list: RequestHandler = ({ params: { cursor } }) =>
      cursor === undefined ? toolsPage([], { nextCursor: 'p2' }) : new Fails(-32602, 'unknown cursor')
    const { client, server: scriptedServer } = await connectScripted({ 'tools/list': list }, { revision })
    await expect(client.listTools()).rejects.toMatchObject({ code: -32602, message: 'unknown cursor' })
    expect(scriptedServer.received('tools/list')).toHaveLength(4)
  })
})

it('PAGE-012 takes the empty cursor of a pocket server as the end of the list', async () => {
  const letter = tool({ description: 'A letter', run: () => 'hi' })
  const app = server({ name: 'pocket', version: '1.0.0', profile: 'pocket', tools: { a: letter, b: letter } })
  await using client = await connect(app)
  expect(await client.request('tools/list')).toMatchObject({ nextCursor: '' })
  expect(namesOf(await client.listTools())).toEqual(['a', 'b'])
})

import { type Content, reply, resource, server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { every, everyWire, since, until } from '../../revisions.js'
import '../../reported-faults.js'
import { judged } from '../../official-schemas.js'

const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0xfb, 0xff])
const serving = (run: () => never | unknown, options: object = {}) =>
  server({ name: 'shop', version: '1', tools: { answer: tool({ run: run as () => string }) }, ...options })

async function answered(revision: string, run: () => unknown): Promise<Content[]> {
  const t = await judged(serving(run), { revision })
  return (await t.call('answer')).content
}

describe.each(everyWire)('a result over $name', (wire) => {
  it.each([
    ['nothing', () => undefined],
    ['no blocks', () => []],
    ['an empty text', () => ''],
    ['an empty reply', () => reply.content()],
  ])('RESULT-001 of %s still has content', async (_, run) => {
    const t = await judged(serving(run, wire.server), wire.client)
    const result = await t.call('answer')
    expect(result).toMatchObject({ content: [{ type: 'text', text: '' }], isError: false })
  })

  it('RESULT-001 of only a structured value has content, too', async () => {
    const weigh = tool({ output: z.object({ grams: z.number() }), run: () => ({ grams: 7 }) })
    const t = await judged(server({ name: 'shop', version: '1', tools: { weigh }, ...wire.server }), wire.client)
    expect((await t.call('weigh')).content).toEqual([{ type: 'text', text: '{"grams":7}' }])
  })

  it('RESULT-002 that is a string becomes a text block', async () => {
    const t = await judged(
      serving(() => 'tea — 茶', wire.server),
      wire.client,
    )
    expect((await t.call('answer')).content).toEqual([{ type: 'text', text: 'tea — 茶' }])
  })
})

describe.each(every)('at %s', (revision) => {
  it('RESULT-003 an image is standard base64 with its type', async () => {
    const content = await answered(revision, () => reply.image(png, 'image/png'))
    expect(content).toEqual([{ type: 'image', data: 'iVBORw0KGgr7/w==', mimeType: 'image/png' }])
  })

  it.each([
    ['the alphabet of URLs', 'iVBORw0KGgr7_w=='],
    ['a line break', 'iVBO\nRw0KGgr7/w=='],
    ['missing padding', 'iVBORw0KGgr7/w'],
  ])('RESULT-003 an image with %s is never sent', async (_, data) => {
    const t = await judged(
      serving(() => ({ type: 'image', data, mimeType: 'image/png' })),
      { revision },
    )
    expect(JSON.stringify(await t.call('answer'))).not.toContain(JSON.stringify(data).slice(1, -1))
  })

  it('RESULT-006 an embedded resource has text or a blob', async () => {
    const text = { uri: 'file:///notes.txt', mimeType: 'text/plain', text: 'milk' }
    const blob = { uri: 'file:///logo.png', mimeType: 'image/png', blob: 'iVBORw0KGgr7/w==' }
    const content = await answered(revision, () => reply.content(reply.resource(text), reply.resource(blob)))
    expect(content).toEqual([
      { type: 'resource', resource: text },
      { type: 'resource', resource: blob },
    ])
  })

  it('RESULT-010 annotations are sent', async () => {
    const annotations = { audience: ['user'], priority: 0.5 } as const
    expect(await answered(revision, () => reply.text('hi', { annotations }))).toEqual([{ type: 'text', text: 'hi', annotations }])
  })

  it('RESULT-017 a result beyond the limit is refused, with advice', async () => {
    const t = await judged(
      serving(() => 'é'.repeat(600), { limits: { resultBytes: 1_000 } }),
      { revision },
    )
    const { content, isError } = await t.call('answer')
    expect(isError).toBe(true)
    expect(content).toEqual([{ type: 'text', text: expect.stringMatching(/1000 bytes.*resultBytes.*link/) }])
  })

  it('RESULT-017 a result of exactly the limit is sent', async () => {
    const t = await judged(
      serving(() => 'é'.repeat(300), { limits: { resultBytes: 1_000 } }),
      { revision },
    )
    expect((await t.call('answer')).content).toEqual([{ type: 'text', text: 'é'.repeat(300) }])
  })
})

describe('invalid blocks are refused when they are built', () => {
  it('RESULT-003 an image whose bytes are of another type', () => {
    expect(() => reply.image(png, 'image/jpeg')).toThrow('image/png')
  })

  it.each([
    ['neither text nor blob', { uri: 'file:///a' }],
    ['both text and blob', { uri: 'file:///a', text: 'a', blob: 'YQ==' }],
  ])('RESULT-006 a resource with %s', (_, contents) => {
    expect(() => reply.resource(contents as never)).toThrow('exactly one of')
  })

  it.each([
    { priority: 1.5 },
    { priority: -0.1 },
    { priority: Number.NaN },
    { audience: ['everyone'] },
  ])('RESULT-010 annotations %j', (annotations) => {
    expect(() => reply.text('hi', { annotations: annotations as never })).toThrow('annotations.')
  })

  it.each(['yesterday', '2025-01-32T00:00:00Z', '1736899200', '2025/01/12'])('RESULT-011 the timestamp %s', (lastModified) => {
    expect(() => reply.text('hi', { annotations: { lastModified } })).toThrow('lastModified')
  })
})

const recent = { annotations: { priority: 1, lastModified: '2025-01-12T15:00:58Z' } }

it.each(since('2025-06-18'))('RESULT-011 at %s the last modification of a block is sent', async (revision) => {
  expect(await answered(revision, () => reply.text('hi', recent))).toEqual([{ type: 'text', text: 'hi', ...recent }])
})

it.each(until('2025-03-26'))('RESULT-011 at %s the newer annotation is omitted', async (revision) => {
  expect(await answered(revision, () => reply.text('hi', recent))).toEqual([
    { type: 'text', text: 'hi', annotations: { priority: 1 } },
  ])
})

it.each(since('2025-03-26'))('RESULT-004 at %s audio is sent', async (revision) => {
  expect(await answered(revision, () => reply.audio('UklGRg==', 'audio/wav'))).toEqual([
    { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
  ])
})

it('RESULT-004 at 2024-11-05 audio is sent as an embedded resource', async () => {
  const content = await answered('2024-11-05', () => reply.audio('UklGRg==', 'audio/wav'))
  expect(content).toEqual([{ type: 'resource', resource: { uri: 'toolwire:audio', mimeType: 'audio/wav', blob: 'UklGRg==' } }])
})

const manual = {
  uri: 'https://shop.example/manual.pdf',
  name: 'manual',
  title: 'The manual',
  mimeType: 'application/pdf',
  size: 12,
}
const icons = [{ src: 'https://shop.example/pdf.png' }]

it.each(since('2025-11-25'))('RESULT-005 at %s a link to a resource is sent with icons', async (revision) => {
  expect(await answered(revision, () => reply.link({ ...manual, icons }))).toEqual([{ type: 'resource_link', ...manual, icons }])
})

it('RESULT-005 at 2025-06-18 a link to a resource is sent without icons', async () => {
  expect(await answered('2025-06-18', () => reply.link({ ...manual, icons }))).toEqual([{ type: 'resource_link', ...manual }])
})

it.each(until('2025-03-26'))('RESULT-005 at %s a link is sent as text', async (revision) => {
  const content = await answered(revision, () => reply.link({ ...manual, icons }))
  expect(content).toEqual([{ type: 'text', text: 'The manual: https://shop.example/manual.pdf' }])
})

it.each(since('2025-06-18'))('RESULT-007 at %s a client reads the resource that a result embeds', async (revision) => {
  const notes = resource({ uri: 'file:///notes.txt', mimeType: 'text/plain', read: () => 'milk' })
  const app = serving(() => reply.resource({ uri: 'file:///notes.txt', text: 'milk' }), { resources: { notes } })
  const t = await judged(app, { revision })
  const [block] = (await t.call('answer')).content
  const { uri } = (block as Extract<Content, { type: 'resource' }>).resource
  const { contents } = await t.request('resources/read', { uri })
  expect(contents).toEqual([expect.objectContaining({ uri, text: 'milk' })])
})

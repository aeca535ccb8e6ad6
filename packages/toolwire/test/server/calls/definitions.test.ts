import { jsonSchema, prompt, resource, type StandardSchema, server, template, tool } from 'toolwire'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../../../src/json.js'
import { judged } from '../../official-schemas.js'
import { every, since, until } from '../../revisions.js'

afterEach(() => vi.restoreAllMocks())

const named = (description: string) => tool({ description, run: () => description })
const serving = (tools: Parameters<typeof server>[0]['tools'] = {}) => server({ name: 's', version: '1.0.0', tools })

type Listed = JsonObject & { name: string; inputSchema: JsonObject; outputSchema?: JsonObject; annotations?: JsonObject }

async function listed(app: ReturnType<typeof serving>, revision: string): Promise<Listed[]> {
  await using t = await judged(app, { revision })
  return ((await t.request('tools/list')) as { tools: Listed[] }).tools
}

describe('The name of a tool', () => {
  it.each(['a', 'A-z_0.9', 'x'.repeat(128), '-', '7'])('NAME-001 may be "%s"', (name) => {
    expect(serving({ [name]: named('one') }).tools.names).toEqual([name])
  })

  it.each([
    '',
    'x'.repeat(129),
    'two words',
    'slash/es',
    'añadir',
    'a\n',
    'semi;colon',
    '工具',
    'a,b',
  ])('NAME-001 may not be %j', (name) => {
    expect(() => serving({ [name]: named('one') })).toThrow(/is not a valid tool name/)
    expect(() => serving().tools.add(name, named('one'))).toThrow(/is not a valid tool name/)
  })

  it.each(every)('NAME-002 is case-sensitive, in %s', async (revision) => {
    await using t = await judged(serving({ getUser: named('upper'), getuser: named('lower') }), { revision })
    expect(await t.call('getUser')).toMatchObject({ content: [{ text: 'upper' }] })
    expect(await t.call('getuser')).toMatchObject({ content: [{ text: 'lower' }] })
    await expect(t.call('GETUSER')).rejects.toMatchObject({ code: -32602 })
  })

  it('NAME-003 is unique', () => {
    const app = serving({ search: named('one') })
    expect(() => app.tools.add('search', named('other'))).toThrow(/already/)
    app.tools.disable('search')
    expect(() => app.tools.add('search', named('other'))).toThrow(/already/)
    app.tools.remove('search')
    expect(() => app.tools.add('search', named('other'))).not.toThrow()
  })
})

describe('A description', () => {
  it('TDEF-001 that is missing causes one warning on stderr, and the tool works', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const mute = tool({ run: () => 'works' })
    serving({ mute, described: named('Described') })
    const app = serving({ mute, blank: tool({ description: '  ', run: () => '' }) })
    expect(warned.mock.calls.map(([text]) => String(text).match(/tool "(\w+)".*description/)?.[1])).toEqual(['mute', 'blank'])
    await using t = await judged(app)
    expect(await t.call('mute')).toMatchObject({ content: [{ text: 'works' }] })
  })

  it.each(every)('TDEF-001 is listed unchanged for the model, in %s', async (revision) => {
    expect(await listed(serving({ a: named('Sells mugs.\nUse it for mugs.') }), revision)).toMatchObject([
      { description: 'Sells mugs.\nUse it for mugs.' },
    ])
  })
})

/** A schema that returns the given JSON Schema for itself. */
const saying = (said: unknown): StandardSchema => ({
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => ({ value }),
    jsonSchema: { input: () => said as JsonObject, output: () => said as JsonObject },
  },
})

const shape = jsonSchema({
  type: 'object',
  oneOf: [
    { properties: { kind: { const: 'circle' }, radius: { type: 'number' } }, required: ['kind', 'radius'] },
    { properties: { kind: { const: 'square' }, side: { type: 'number' } }, required: ['kind', 'side'] },
  ],
  unevaluatedProperties: false,
})
const rootKeywords = [
  'type',
  'properties',
  'required',
  '$schema',
  'additionalProperties',
  'title',
  'description',
  '$defs',
  'definitions',
]

describe('The schema of the input', () => {
  it.each([
    null,
    true,
    false,
    [],
    'object',
    { type: 'string' },
    { type: ['object', 'null'] },
    {},
    { properties: {} },
  ])('TDEF-004 may not be %j', (said) => {
    expect(() => serving({ t: tool({ description: 'd', input: saying(said), run: () => '' }) })).toThrow(
      /must describe an object/,
    )
  })

  it('TDEF-004 is an object for a union of objects, and each of them is accepted', async () => {
    const input = z.discriminatedUnion('by', [
      z.object({ by: z.literal('id'), id: z.number() }),
      z.object({ by: z.literal('name'), name: z.string() }),
    ])
    const app = serving({ find: tool({ description: 'd', input, run: (given) => given.by }) })
    expect((await listed(app, '2026-07-28'))[0]?.inputSchema).toMatchObject({ type: 'object' })
    await using t = await judged(app)
    expect(await t.call('find', { by: 'name', name: 'mug' })).toMatchObject({ content: [{ text: 'name' }], isError: false })
    expect(await t.call('find', { by: 'name', id: 7 })).toMatchObject({ isError: true })
  })

  it.each(every)('TDEF-004 TDEF-005 is an object without properties for a tool without input, in %s', async (revision) => {
    const [none] = await listed(serving({ none: named('Takes nothing') }), revision)
    expect(none?.inputSchema).toEqual({ type: 'object', additionalProperties: false })
    await using t = await judged(serving({ none: named('Takes nothing') }), { revision })
    const refused = await t.call('none', { extra: 1 }).catch(({ code }) => ({ isError: code === -32602 }))
    expect(refused).toMatchObject({ isError: true })
  })

  it.each(
    until('2025-11-25'),
  )('TDEF-006 is a plain object at its root in %s, looser than the full schema, which still applies', async (revision) => {
    const app = serving({ area: tool({ description: 'Area', input: shape, run: () => 'an area' }) })
    const [area] = await listed(app, revision)
    expect(Object.keys(area?.inputSchema ?? {}).filter((keyword) => !rootKeywords.includes(keyword))).toEqual([])
    expect(area?.inputSchema).toMatchObject({
      type: 'object',
      required: ['kind'],
      properties: { radius: { type: 'number' }, side: { type: 'number' } },
    })
    expect(area?.inputSchema.additionalProperties).not.toBe(false)
    await using t = await judged(app, { revision })
    const call = (args: JsonObject) =>
      t.call('area', args).then(
        ({ isError }) => isError,
        ({ code }) => code === -32602,
      )
    expect(await Promise.all([call({ kind: 'circle', radius: 1 }), call({ kind: 'square', side: 1 })])).toEqual([false, false])
    expect(await Promise.all([call({ kind: 'circle', side: 1 }), call({ kind: 'circle' }), call({ radius: 1 })])).toEqual([
      true,
      true,
      true,
    ])
  })

  it('TDEF-006 is published whole from 2026-07-28 on', async () => {
    const [area] = await listed(serving({ area: tool({ description: 'Area', input: shape, run: () => '' }) }), '2026-07-28')
    expect(area?.inputSchema).toMatchObject({ type: 'object', oneOf: [{}, {}] })
  })
})

describe.each(['2025-06-18', '2025-11-25'])('The schema of the output in %s', (revision) => {
  it.each([
    ['a list', z.array(z.string()), ['a']],
    ['a number', z.number(), 5],
    ['null or an object', z.object({ a: z.string() }).nullable(), null],
  ])('TDEF-008 of %s is wrapped in an object, and so is the result', async (_, output, value) => {
    const app = serving({ give: tool({ description: 'Gives', output: output as z.ZodType, run: () => value }) })
    const [give] = await listed(app, revision)
    expect(give?.outputSchema).toMatchObject({ type: 'object' })
    await using t = await judged(app, { revision })
    const { structuredContent } = await t.call('give')
    expect(structuredContent).toEqual({ result: value })
    expect(jsonSchema(give?.outputSchema ?? {})['~standard'].validate(structuredContent)).not.toHaveProperty('issues')
  })
})

describe('Tasks', () => {
  const tools = {
    plain: named('Plain'),
    may: tool({ description: 'May', longRunning: 'optional', run: () => '' }),
    must: tool({ description: 'Must', longRunning: 'required', run: () => '' }),
  }

  it('TDEF-009 are listed in 2025-11-25 as the tool defines them, and not at all by default', async () => {
    const [plain, may, must] = await listed(serving(tools), '2025-11-25')
    expect(plain).not.toHaveProperty('execution')
    expect([may?.execution, must?.execution]).toEqual([{ taskSupport: 'optional' }, { taskSupport: 'required' }])
    await using t = await judged(serving(tools), { revision: '2025-11-25' })
    await expect(t.call('plain', {}, { task: {} })).rejects.toMatchObject({ code: -32601 })
    expect(await t.call('may')).toHaveProperty('content')
    expect(await t.call('may', {}, { task: {} })).toHaveProperty('task')
    await expect(t.call('must')).rejects.toMatchObject({ code: -32601 })
  })

  it.each(every.filter((revision) => revision !== '2025-11-25'))('TDEF-010 are not listed in %s', async (revision) => {
    expect(JSON.stringify(await listed(serving(tools), revision))).not.toMatch(/execution|taskSupport/)
  })
})

describe('Hints', () => {
  /** A store whose tools have hints about their effects. */
  function store() {
    const items = new Set(['mug'])
    const input = z.object({ item: z.string() })
    const list = tool({ description: 'Lists', hints: { readOnly: true, openWorld: false }, run: () => [...items].join() })
    const add = tool({
      description: 'Adds',
      hints: { readOnly: false, destructive: false, idempotent: true },
      input,
      run: ({ item }) => `${items.add(item).size}`,
    })
    const remove = tool({
      description: 'Removes',
      hints: { destructive: true, idempotent: true },
      input,
      scopes: ['remove'],
      run: ({ item }) => `${items.delete(item)}`,
    })
    const peek = tool({ description: 'Peeks', hints: { readOnly: true }, scopes: ['peek'], run: () => 'peeked' })
    return { items, app: serving({ list, add, remove, peek }) }
  }

  it.each(since('2025-03-26'))('TANN-005 are listed as given and match the effects of the tools, in %s', async (revision) => {
    const { items, app } = store()
    const tools = await listed(app, revision)
    expect(tools.map(({ annotations }) => annotations)).toEqual([
      { readOnlyHint: true, openWorldHint: false },
      { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
      { destructiveHint: true, idempotentHint: true },
      { readOnlyHint: true },
    ])
    await using t = await judged(app, { revision })
    for (const { name, annotations = {}, inputSchema } of tools) {
      const args = inputSchema.properties ? { item: 'bowl' } : {}
      const before = [...items]
      await t.call(name, args)
      const after = [...items]
      if (annotations.readOnlyHint) expect([name, after]).toEqual([name, before])
      if (annotations.destructiveHint === false) expect(after).toEqual(expect.arrayContaining(before))
      if (annotations.idempotentHint) await t.call(name, args).then(() => expect([name, [...items]]).toEqual([name, after]))
    }
  })

  it.each(every)('TANN-005 grant no access: a tool with a read-only hint still needs its scopes, in %s', async (revision) => {
    await using t = await judged(store().app, { revision, caller: { id: 'guest', scopes: [] } })
    await expect(t.call('peek')).rejects.toMatchObject({ code: -32602 })
    await expect(t.call('remove', { item: 'mug' })).rejects.toMatchObject({ code: -32602 })
  })

  it('TANN-006 are not listed in 2024-11-05', async () => {
    for (const one of await listed(store().app, '2024-11-05')) expect(one).not.toHaveProperty('annotations')
  })
})

describe('Icons', () => {
  const icons = [{ src: 'https://example.com/i.png', mimeType: 'image/png', sizes: ['48x48', 'any'], theme: 'dark' as const }]
  const everywhere = () =>
    server({
      name: 's',
      version: '1.0.0',
      icons,
      tools: { a: tool({ description: 'a', icons, run: () => '' }) },
      resources: {
        b: resource({ uri: 'b:1', icons, read: () => '' }),
        c: template({ uriTemplate: 'c:{x}', icons, read: () => '' }),
      },
      prompts: { d: prompt({ icons, run: () => '' }) },
    })
  const lists = [
    ['tools/list', 'tools'],
    ['resources/list', 'resources'],
    ['resources/templates/list', 'resourceTemplates'],
    ['prompts/list', 'prompts'],
  ] as const

  it.each(every)('ICON-001 are listed on every object where %s defines them, and nowhere else', async (revision) => {
    await using t = await judged(everywhere(), { revision })
    const known = revision >= '2025-11-25'
    for (const [method, member] of lists) {
      const [entry] = (await t.request(method))[member] as JsonObject[]
      expect([method, entry?.icons]).toEqual([method, known ? icons : undefined])
    }
    if (!known) expect(JSON.stringify(t.frames)).not.toContain('i.png')
    else
      expect(JSON.stringify(t.frames.filter(({ from, message }) => from === 'server' && 'result' in message)[0])).toContain(
        'i.png',
      )
  })

  it.each([
    [{ src: 'http://example.com/i.png' }],
    [{ src: 'javascript:alert(1)' }],
    [{ src: 'data:text/html,x' }],
    [{ src: icons[0]?.src, sizes: '48x48' }],
    [{ src: icons[0]?.src, sizes: ['large'] }],
  ])('ICON-001 may not be %j', (wrong) => {
    const made = wrong as (typeof icons)[0]
    expect(() => serving({ a: tool({ description: 'a', icons: [made], run: () => '' }) })).toThrow(/icon/)
    expect(() => server({ name: 's', version: '1', icons: [made] })).toThrow(/icon/)
    expect(() => resource({ uri: 'b:1', icons: [made], read: () => '' })).toThrow(/icon/)
    expect(() => prompt({ icons: [made], run: () => '' })).toThrow(/icon/)
  })
})

// How a client reads tool definitions.
import { createServer, type Server } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { longestWorkMs } from '../../src/bounds/yield-when-busy.js'
import { KnownTool, type MeasuredDefinition } from '../../src/client/calls/known-tool.js'
import { isSameDefinition } from '../../src/client/calls/known-tools.js'
import type { Json, JsonObject } from '../../src/json.js'
import { TransportError } from '../../src/peer/client-transport.js'
import type { Policy } from '../../src/policy/policy.js'
import { v20260728 } from '../../src/revisions/2026-07-28.js'
import type { ReadyTool } from '../../src/tools/tool.js'
import { every, since, until } from '../revisions.js'
import { expectWithin } from '../soak.js'
import { connectScripted, plainTool, textResult, toolsPage } from './scripted.js'

type Definition = Parameters<typeof plainTool>[1]
const object = { type: 'object' }
const draft07 = 'http://json-schema.org/draft-07/schema#'

/** A client of a server with these tools, which answers every call with the name of the tool. */
const offering = (revision: string, tools: JsonObject[], options = {}) =>
  connectScripted(
    { 'tools/list': toolsPage(tools), 'tools/call': ({ params }) => textResult(String(params.name)) },
    { revision, options, lenient: true },
  )

const oneTool = async (revision: string, more: Definition, options = {}) => {
  const { client } = await offering(revision, [plainTool('x', more)], options)
  const [listed] = await client.listTools()
  return listed
}

/** The outcome of a call with this value and this schema for it. */
async function takes(revision: string, schema: Json, value: Json, root: JsonObject = {}): Promise<unknown> {
  const inputSchema = { ...object, properties: { value: schema }, ...root }
  const { client, server } = await offering(revision, [plainTool('x', { inputSchema })])
  const ended = await client.call('x', { value }).then(
    () => 'taken',
    (thrown) => thrown.code ?? thrown.name,
  )
  expect(server.received('tools/call')).toHaveLength(ended === 'taken' ? 1 : 0)
  return ended
}

/** The outcome of a call with this structured result and output schema. */
async function returns(revision: string, outputSchema: JsonObject, structuredContent: Json): Promise<unknown> {
  const { client } = await connectScripted(
    {
      'tools/list': toolsPage([plainTool('x', { outputSchema })]),
      'tools/call': textResult('text', { structuredContent }),
    },
    { revision },
  )
  return client.call('x').then(
    (result) => result.structuredContent,
    (thrown) => thrown.code ?? thrown.name,
  )
}

describe.each(every)('names, %s', (revision) => {
  it('NAME-004 may contain any letters, and are sent unchanged', async () => {
    const names = ['with space', '\u{1fad6} tea', 'a/b', 'ünï', 'dot.dot', '"quoted"', 'x'.repeat(128), 'x'.repeat(1_024)]
    const { client, server } = await offering(
      revision,
      names.map((name) => plainTool(name)),
    )
    expect((await client.listTools()).map(({ name }) => name)).toEqual(names)
    for (const name of names) expect((await client.call(name)).content).toMatchObject([{ text: name }])
    expect(server.received('tools/call').map(({ params }) => (params as JsonObject).name)).toEqual(names)
  })
})

describe.each(since('2025-11-25'))('names, %s', (revision) => {
  it('NAME-002 are case-sensitive', async () => {
    const { client } = await offering(revision, [plainTool('getUser'), plainTool('getuser')])
    expect(await client.listTools()).toHaveLength(2)
    for (const name of ['getUser', 'getuser']) expect((await client.call(name)).content).toMatchObject([{ text: name }])
    await expect(client.call('GETUSER')).rejects.toMatchObject({ code: 'not_offered' })
  })
})

describe.each(since('2025-06-18'))('display names, %s', (revision) => {
  it.each([
    ['Title', { title: 'Title', annotations: { title: 'Annotated' } }],
    ['Title', { title: 'Title' }],
    ['Annotated', { annotations: { title: 'Annotated' } }],
    ['x', { annotations: { readOnlyHint: true } }],
    ['x', {}],
  ])('TDEF-002 are %s for %j', async (shown, more) => {
    expect(await oneTool(revision, more)).toMatchObject({ name: 'x', displayName: shown })
  })
})

describe('display names, 2025-03-26 and before', () => {
  it.each([
    ['2025-03-26', 'Annotated', { annotations: { title: 'Annotated' } }],
    ['2025-03-26', 'Annotated', { title: 'Title', annotations: { title: 'Annotated' } }],
    ['2025-03-26', 'x', { annotations: {} }],
    ['2025-03-26', 'x', { title: 'Title' }],
    ['2024-11-05', 'x', { title: 'Title' }],
    ['2024-11-05', 'x', {}],
  ])('TDEF-003 are at %s %s for %j', async (revision, shown, more) => {
    expect(await oneTool(revision, more)).toMatchObject({ name: 'x', displayName: shown })
  })
})

describe.each(since('2025-03-26'))('hints, %s', (revision) => {
  const worst = { readOnly: false, destructive: true, idempotent: false, openWorld: true }

  it.each([
    {},
    { annotations: {} },
    { annotations: { title: 'T' } },
  ])('TANN-001 have the default values where %j omits them', async (more) => {
    for (const trusted of [true, false]) expect(await oneTool(revision, more, { trusted })).toMatchObject({ hints: worst })
  })

  it('TANN-002 of a read-only tool are neither destructive nor idempotent', async () => {
    const annotations = { readOnlyHint: true, destructiveHint: true, idempotentHint: false }
    const hints = { readOnly: true, destructive: false, idempotent: true }
    expect(await oneTool(revision, { annotations }, { trusted: true })).toMatchObject({ hints })
  })

  it('TANN-003 of an untrusted server are ignored, by the client and by policies', async () => {
    const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
    const claims = { readOnly: true, destructive: false, idempotent: true, openWorld: false }
    const seen: ReadyTool[] = []
    const spy: Policy = {
      name: 'spy',
      call: (call, next) => {
        seen.push(call.tool)
        return next(call)
      },
    }
    const { client } = await offering(revision, [plainTool('x', { annotations })], { policies: [spy] })
    expect((await client.listTools())[0]).toMatchObject({ hints: worst, claims })
    await client.call('x')
    expect(seen[0]?.definition.hints).toEqual(worst)
    expect(await oneTool(revision, { annotations }, { trusted: true })).toMatchObject({ hints: { readOnly: true }, claims })
  })

  it.each([
    { idempotentHint: true },
    { readOnlyHint: true },
  ])('TANN-004 allow a retry for %j of a trusted server only', async (annotations) => {
    for (const trusted of [false, true]) {
      let calls = 0
      const { client, server } = await connectScripted(
        {
          'tools/list': toolsPage([plainTool('x', { annotations })]),
          'tools/call': () => (calls++ === 0 ? new TransportError('broken', 'cut', { sent: true }) : textResult('done')),
        },
        { revision, options: { trusted } },
      )
      const call = client.call('x')
      if (trusted) await expect(call).resolves.toMatchObject({ isError: false })
      else await expect(call).rejects.toMatchObject({ code: 'outcome_unknown' })
      expect(server.received('tools/call')).toHaveLength(trusted ? 2 : 1)
    }
  })
})

describe.each(since('2025-11-25'))('schemas, %s', (revision) => {
  const pair = [{ type: 'string' }, { type: 'number' }]

  it('JSCH-001 without $schema are read as 2020-12', async () => {
    expect(await takes(revision, { prefixItems: pair }, ['a', 1])).toBe('taken')
    expect(await takes(revision, { prefixItems: pair }, [1, 'a'])).toBe('InvalidArguments')
    expect(await takes(revision, { items: pair }, ['a', 1])).toBe('bad_response')
  })

  it('JSCH-002 may name 2020-12 explicitly', async () => {
    const root = { $schema: 'https://json-schema.org/draft/2020-12/schema' }
    const schema = { type: 'object', dependentRequired: { a: ['b'] }, unevaluatedProperties: false, properties: { a: {}, b: {} } }
    expect(await takes(revision, schema, { a: 1, b: 1 }, root)).toBe('taken')
    expect(await takes(revision, schema, { a: 1 }, root)).toBe('InvalidArguments')
    expect(await takes(revision, schema, { c: 1 }, root)).toBe('InvalidArguments')
  })

  it('JSCH-003 are validated in the dialect that they name', async () => {
    const root = { $schema: draft07 }
    expect(await takes(revision, { items: pair }, ['a', 1], root)).toBe('taken')
    expect(await takes(revision, { items: pair }, [1, 'a'], root)).toBe('InvalidArguments')
    expect(await takes(revision, { prefixItems: pair }, [1, 'a'], root)).toBe('taken')
    expect(await returns(revision, { ...object, ...root, properties: { v: { items: pair } } }, { v: [1] })).toBe('InvalidResult')
  })

  it('JSCH-004 in an unknown dialect prevent the call, with a reason', async () => {
    for (const which of ['inputSchema', 'outputSchema']) {
      const { client, server } = await offering(revision, [plainTool('x', { [which]: { ...object, $schema: 'urn:x' } })])
      const why = expect.stringMatching(/urn:x.*2020-12.*draft-07/s)
      await expect(client.call('x')).rejects.toMatchObject({ code: 'bad_response', message: why })
      expect(server.received('tools/call')).toEqual([])
    }
  })
})

describe.each(since('2026-07-28'))('schemas, %s', (revision) => {
  const root = {
    oneOf: [{ required: ['a'] }, { required: ['b'] }],
    $defs: { short: { maxLength: 3 } },
    if: { properties: { a: { const: 'x' } }, required: ['a'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['c'] },
    properties: { a: { $ref: '#/$defs/short' } },
  }

  it('TDEF-007 for input may have any keyword beside type', async () => {
    const { client } = await offering(revision, [plainTool('x', { inputSchema: { ...object, ...root } })])
    await expect(client.call('x', { a: 'abc' })).resolves.toMatchObject({ isError: false })
    for (const args of [{}, { a: 'y', b: 1 }, { a: 'abcd' }, { a: 'x' }])
      await expect(client.call('x', args)).rejects.toMatchObject({ name: 'InvalidArguments', foundBy: 'client' })
  })

  it.each<[JsonObject, Json, Json]>([
    [{ type: 'array', items: { type: 'number' } }, [1, 2], ['a']],
    [{ type: ['string', 'null'] }, null, 1],
    [{ anyOf: [{ const: 1 }, { const: 'one' }] }, 'one', 'two'],
    [{ $ref: '#/$defs/n', $defs: { n: { type: 'integer' } } }, 7, 7.5],
    [{ not: { type: 'string' } }, false, 'no'],
  ])('TDEF-007 for output may be %j', async (outputSchema, good, bad) => {
    expect(await returns(revision, outputSchema, good)).toEqual(good)
    expect(await returns(revision, outputSchema, bad)).toBe('InvalidResult')
  })

  it('JSCH-007 JSCH-008 JSCH-010 with external references open no connection and prevent the call', async () => {
    let visits = 0
    const elsewhere = await listening(
      createServer((socket) => {
        visits++
        socket.destroy()
      }),
    )
    const { port } = elsewhere.address() as { port: number }
    for (const more of [
      { inputSchema: { ...object, properties: { value: { $ref: `http://127.0.0.1:${port}/schema.json` } } } },
      { inputSchema: { ...object, properties: { value: { $dynamicRef: `http://127.0.0.1:${port}/schema.json#x` } } } },
      { inputSchema: { ...object, $schema: `http://127.0.0.1:${port}/dialect.json` } },
      { outputSchema: { $ref: `http://127.0.0.1:${port}/schema.json` } },
    ]) {
      const { client, server } = await offering(revision, [plainTool('x', more), plainTool('y')])
      await expect(client.call('x', { value: 1 })).rejects.toMatchObject({ code: 'bad_response' })
      await expect(client.call('y')).resolves.toMatchObject({ isError: false })
      expect(server.received('tools/call')).toHaveLength(1)
    }
    expect(visits).toBe(0)
    await new Promise((resolve) => elsewhere.close(resolve))
  })

  it('JSCH-011 may have references within themselves, at any depth of the value', async () => {
    const tree = {
      type: 'object',
      properties: { next: { $ref: '#/$defs/tree' }, leaf: { $ref: '#leaf' } },
      additionalProperties: false,
    }
    const defs = { $defs: { tree, leaf: { $anchor: 'leaf', type: 'string' } } }
    const nested = (leaf: Json) => Array.from({ length: 50 }).reduce<JsonObject>((next) => ({ next }), { leaf })
    expect(await takes(revision, { $ref: '#/$defs/tree' }, nested('end'), defs)).toBe('taken')
    expect(await takes(revision, { $ref: '#/$defs/tree' }, nested(1), defs)).toBe('InvalidArguments')
  })

  it('JSCH-012 that are costly on purpose do not block the client', async () => {
    const bombs: [Json, Json][] = [
      [{ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(40)}!`],
      [{ $ref: '#/$defs/a30' }, 'x'],
      [Array.from({ length: 40 }).reduce<JsonObject>((items) => ({ items }), {}), [[]]],
    ]
    const $defs = Object.fromEntries(
      Array.from({ length: 31 }, (_, level) => {
        const below = { $ref: `#/$defs/a${level - 1}` }
        return [`a${level}`, level === 0 ? { type: 'integer' } : { anyOf: [below, below] }]
      }),
    )
    for (const [schema, value] of bombs) {
      const started = performance.now()
      expect(await takes(revision, schema, value, { $defs })).not.toBe('taken')
      expectWithin(performance.now() - started, 1_000)
    }
  })
})

describe.each(until('2025-06-18'))('schemas, %s', (revision) => {
  it('JSCH-013 may use the common keywords of both dialects, with either name', async () => {
    const common = { type: 'array', items: { enum: ['a', 'b'] }, minItems: 1 }
    for (const root of [{}, { $schema: draft07 }, { $schema: 'https://json-schema.org/draft/2020-12/schema' }]) {
      expect(await takes(revision, common, ['a'], root)).toBe('taken')
      expect(await takes(revision, common, ['c'], root)).toBe('InvalidArguments')
    }
  })
})

const listening = (server: Server): Promise<Server> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))

describe('a large definition', () => {
  const reading = { revision: v20260728, trusted: false, posts: true }
  const measured = (definition: JsonObject): MeasuredDefinition => ({ definition, letters: JSON.stringify(definition).length })
  const names = Array.from({ length: 5_000 }, (_, at) => `p${at}`)
  const large = (order: readonly string[], type = 'string') => {
    const properties = Object.fromEntries(order.map((name) => [name, { type: name === 'p7' ? type : 'string' }]))
    return measured({ name: 'large', inputSchema: { type: 'object', properties } })
  }

  /** Counts the turns of the event loop during the work. The mocked clock makes all work seem slow. */
  async function turnsOf(work: () => Promise<unknown>): Promise<number> {
    let now = performance.now()
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      now += longestWorkMs
      return now
    })
    let turns = 0
    let next = setImmediate(function count() {
      turns++
      next = setImmediate(count)
    })
    await work()
    const counted = turns
    // Yields until the scheduler no longer holds a time of the mocked clock.
    while (turns < counted + 3) await new Promise((resolve) => void setImmediate(resolve))
    clearImmediate(next)
    clock.mockRestore()
    return counted
  }

  it('is searched for header parameters in several turns', async () => {
    expect(await turnsOf(() => KnownTool.read(large(names), reading))).toBeGreaterThan(100)
  })

  it('is compared in several turns, whatever the order of its members', async () => {
    const [one, turned, changed] = [large(names), large(names.toReversed()), large(names.toReversed(), 'number')]
    expect(changed.letters).toBe(one.letters)
    const same: boolean[] = []
    const turns = await turnsOf(async () => {
      for (const other of [turned, changed]) same.push(await isSameDefinition(one, other))
    })
    expect(same).toEqual([true, false])
    expect(turns).toBeGreaterThan(200)
  })

  it('is not compared in detail with one of another length', async () => {
    const text = vi.spyOn(JSON, 'stringify')
    const [one, other] = [large(names), large([...names, 'more'])]
    text.mockClear()
    expect(await isSameDefinition(one, other)).toBe(false)
    expect(text).not.toHaveBeenCalled()
    text.mockRestore()
  })
})

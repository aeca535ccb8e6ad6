// Arguments may omit a required property that has a default.
import { describe, expect, it } from 'vitest'
import { jsonSchema, server, tool } from '../../src/index.js'
import type { JsonObject } from '../../src/json.js'
import { withDefaults } from '../../src/schema/defaults.js'
import { validator } from '../../src/schema/index.js'
import { harness } from '../../src/testing/index.js'
import { connectScripted, plainTool, textResult, toolsPage } from '../client/scripted.js'

const level = { type: 'integer', default: 3, minimum: 1 }
const schema: JsonObject = {
  type: 'object',
  properties: { path: { type: 'string' }, level, extra: { type: 'string', default: 'x' } },
  required: ['path', 'level'],
}
const checked = (given: JsonObject, value: unknown) => validator(jsonSchema(given), 'input')(value)

describe('a tool with a JSON Schema', () => {
  it('receives the default of an absent required property, and no other value', () => {
    expect(checked(schema, { path: '/a' })).toEqual({ value: { path: '/a', level: 3 } })
    expect(checked(schema, { path: '/a', level: 7 })).toEqual({ value: { path: '/a', level: 7 } })
  })

  it('still requires properties without a default, and refuses an invalid default', () => {
    expect(checked(schema, { level: 1 })).toMatchObject({ issues: [{ message: 'missing required property "path"' }] })
    const wrong = { ...schema, properties: { path: true, level: { ...level, default: 0 } } }
    expect(checked(wrong, { path: '/a' })).toMatchObject({ issues: [{ path: '/level' }] })
  })

  it('receives nested defaults, behind references and in lists, too', () => {
    const inner = { type: 'object', properties: { level }, required: ['level'] }
    const deep: JsonObject = {
      type: 'object',
      $defs: { inner },
      properties: { one: { $ref: '#/$defs/inner' }, some: { type: 'array', items: inner }, both: { allOf: [inner] } },
    }
    expect(checked(deep, { one: {}, some: [{}, { level: 1 }], both: {} })).toEqual({
      value: { one: { level: 3 }, some: [{ level: 3 }, { level: 1 }], both: { level: 3 } },
    })
  })

  it('receives a new copy each time, and the sent arguments stay unchanged', () => {
    const lists: JsonObject = { type: 'object', properties: { list: { type: 'array', default: [1] } }, required: ['list'] }
    const sent = Object.freeze({})
    const first = checked(lists, sent) as { value: { list: number[] } }
    first.value.list.push(2)
    expect(sent).toEqual({})
    expect(checked(lists, sent)).toEqual({ value: { list: [1] } })
    expect(lists.properties).toEqual({ list: { type: 'array', default: [1] } })
  })

  it('cannot be attacked with endless defaults', () => {
    const circular = { $ref: '#', type: 'object', properties: { a: { $ref: '#' }, level }, required: ['level'] }
    const nested = { a: { a: { a: {} } } }
    expect(withDefaults(circular)(nested)).toBeDefined()
    const proto = JSON.parse('{"type":"object","properties":{"__proto__":{"default":1}},"required":["__proto__"]}')
    expect(Object.keys(withDefaults(proto)({}) as object)).toEqual(['__proto__'])
  })

  it('receives at most as many defaults as are cheap in time and memory', () => {
    const listOf = (given: JsonObject, required: string[]): JsonObject => ({
      type: 'object',
      properties: { list: { type: 'array', items: { type: 'object', properties: given, required } } },
    })
    const filledIn = (given: JsonObject, count: number, options = {}) => {
      const value = { list: Array.from({ length: count }, () => ({})) }
      const { list } = withDefaults(listOf(given, Object.keys(given)), options)(value) as { list: object[] }
      return list.filter((item) => Object.keys(item).length > 0)
    }
    const large = { a: { default: ['x'.repeat(200_000)] } }
    expect(filledIn(large, 1)).toHaveLength(1)
    expect(filledIn(large, 1_000).length).toBeLessThan(20)
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`p${at}`, { default: at }]))
    expect(filledIn(wide, 10)).toHaveLength(10)
    expect(filledIn(wide, 10_000).length).toBeLessThan(200)
    expect(filledIn({ a: { default: 1 }, b: { default: [] } }, 5_000)).toHaveLength(5_000)
    const shared = filledIn(large, 1_000, { shared: true }) as { a: string[] }[]
    expect(shared).toHaveLength(1_000)
    expect(new Set(shared.map(({ a }) => a)).size).toBe(1)
  })

  it('passes the default to its handler', async () => {
    const seen: unknown[] = []
    const zip = tool({
      description: 'Zips',
      input: jsonSchema<{ path: string; level: number }>(schema as never),
      run: (input) => {
        seen.push(input)
        return 'done'
      },
    })
    await using t = await harness(server({ name: 'zip', version: '1.0.0', tools: { zip } }))
    await t.call('zip', { path: '/a' })
    expect(seen).toEqual([{ path: '/a', level: 3 }])
  })
})

it.each([
  '2025-11-25',
  '2026-07-28',
])('a client of %s sends its arguments unchanged, and leaves the default to the server', async (revision) => {
  const page = toolsPage([plainTool('zip', { inputSchema: schema })])
  const { client, server: scriptedServer } = await connectScripted(
    { 'tools/list': page, 'tools/call': textResult('done') },
    { revision },
  )
  await client.call('zip', { path: '/a' })
  await client.call('zip', { path: '/a', level: null })
  await expect(client.call('zip', { level: 1 })).rejects.toMatchObject({ name: 'InvalidArguments' })
  expect(scriptedServer.received('tools/call').map(({ params }) => (params as JsonObject).arguments)).toEqual([
    { path: '/a' },
    { path: '/a', level: null },
  ])
})

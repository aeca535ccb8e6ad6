import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, type Json } from '../../../src/json.js'
import { changesBetween } from '../../../src/policy/pin/drift.js'

const json = fc.jsonValue() as fc.Arbitrary<Json>

describe('changes between definitions', () => {
  it('are found if and only if the canonical texts differ', () => {
    fc.assert(
      fc.property(json, json, (one, other) => {
        expect(changesBetween(one, structuredClone(one))).toEqual([])
        expect(changesBetween(one, other).length > 0).toBe(canonicalJson(one) !== canonicalJson(other))
      }),
    )
  })

  it('name the place, whatever its name', () => {
    const at = (name: string, value: Json) =>
      JSON.parse(JSON.stringify({ a: [{ [name]: 0 }] }).replace('0', JSON.stringify(value)))
    for (const [name, token] of [
      ['a/b', 'a~1b'],
      ['m~n', 'm~0n'],
      ['', ''],
      ['__proto__', '__proto__'],
      ['constructor', 'constructor'],
      ['\u202ex', '\\u{202e}x'],
      ['\u3164', '\\u{3164}'],
    ] as const) {
      expect(changesBetween(at(name, 1), at(name, 2))).toEqual([{ path: `/a/0/${token}`, before: '1', after: '2' }])
    }
  })

  it('show hidden characters in the old and the new value', () => {
    expect(changesBetween({ a: 'x\u200b' }, { a: 'x\u{e0041}\u2028' })).toEqual([
      { path: '/a', before: '"x\\u{200b}"', after: '"x\\u{e0041}\\u{2028}"' },
    ])
  })

  it('are merged into one for a part with more than a thousand, beside the others', () => {
    const numbers = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at)
    const before = { description: 'a', inputSchema: { enum: numbers(0, 399_000), title: 'b' }, list: numbers(0, 1_000) }
    const after = { description: 'x', inputSchema: { enum: numbers(1, 399_000), title: 'y' }, list: numbers(1, 1_000) }
    const changes = changesBetween({ ...before, list: [] }, { ...after, list: [] })
    expect(changes.map(({ path }) => path)).toEqual(['/description', '/inputSchema/enum', '/inputSchema/title'])
    expect(changes[1]?.after).toBe(JSON.stringify(after.inputSchema.enum))
    expect(changesBetween({ list: before.list }, { list: after.list })).toHaveLength(1_000)
    expect(changesBetween(before, after).map(({ path }) => path)).toEqual([''])
  })

  it('are merged into one for a part with long paths, so that they are no larger than the definitions', () => {
    const holding = (value: number) => {
      const members = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`m${at}`, value]))
      return { description: value, inputSchema: { properties: { ['x'.repeat(200_000)]: members } }, outputSchema: members }
    }
    const changes = changesBetween(holding(1), holding(2))
    const paths = changes.map(({ path }) => path)
    expect([paths.length, paths[0], paths[1], paths[501]]).toEqual([
      502,
      '/description',
      '/inputSchema/properties',
      '/outputSchema/m499',
    ])
    expect(JSON.stringify(changes).length).toBeLessThan(2 * JSON.stringify(holding(1)).length + 100_000)
  })

  it.each([
    [{ a: {} }, { a: [] }],
    [{ a: null }, {}],
    [{ a: '1' }, { a: 1 }],
    [{ a: [1, 2] }, { a: [2, 1] }],
    [{ a: [1] }, { a: [1, 1] }],
  ])('distinguish %j and %j', (one, other) => {
    expect(changesBetween(one as Json, other as Json).length).toBeGreaterThan(0)
  })
})

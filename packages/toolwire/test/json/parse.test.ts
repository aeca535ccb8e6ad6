import { describe, expect, it } from 'vitest'
import { JsonError, parseJson } from '../../src/json.js'
import { quickest } from '../quickest-of-three.js'
import { expectWithin } from '../soak.js'

const bytes = (...values: number[]) => new Uint8Array(values)
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const objectOf = (members: number) => `{${Array.from({ length: members }, (_, at) => `"k${at}":${at}`).join()}}`

function refusal(input: Uint8Array | string, limits?: Parameters<typeof parseJson>[1]): JsonError {
  try {
    parseJson(input, limits)
  } catch (thrown) {
    if (thrown instanceof JsonError) return thrown
    throw thrown
  }
  throw new Error('was accepted')
}

describe('a refused text', () => {
  it.each([
    ['syntax', '{"a":1'],
    ['syntax', '{"a'],
    ['syntax', ''],
    ['syntax', ']'],
    ['syntax', '{"a":1}}'],
    ['syntax', '{"a"::1}'],
    ['syntax', '"\\"'],
    ['utf8', bytes(0x22, 0xff, 0x22)],
    ['utf8', bytes(0x22, 0xed, 0xa0, 0x80, 0x22)],
    ['bom', bytes(0xef, 0xbb, 0xbf, 0x7b, 0x7d)],
    ['bom', '\ufeff{}'],
    ['depth', nested(65)],
    ['depth', '{"a":'.repeat(65) + 1 + '}'.repeat(65)],
    ['members', objectOf(10_001)],
    ['duplicate', '{"a":1,"a":1}'],
    ['duplicate', '{"a":1,"\\u0061":2}'],
    ['duplicate', '[{"a":{"b":1,"b":2}}]'],
    ['duplicate', '{"__proto__":1,"__proto__":2}'],
    ['duplicate', '{"1":1,"1":2}'],
    ['surrogate', '"\ud800"'],
    ['surrogate', '{"\udc00":1}'],
    ['surrogate', '"\\uD800"'],
    ['surrogate', '"\\udc00\\ud800"'],
    ['surrogate', '{"a\\udfff":1}'],
    ['number', '1e400'],
    ['number', '[9007199254740993]'],
    ['number', '1e-400'],
    ['number', '{"a":[-1e309]}'],
    ['number', `{"id":${'9'.repeat(400)}}`],
  ] as const)('%s: %j', (code, input) => {
    expect(refusal(input).code).toBe(code)
  })

  it('is never quoted in the error, except for the keys that lead to the defect', () => {
    for (const input of ['{"secret":secret}', '["secret\\ud800"]', '["secret",1e999]', '{"a":"secret","a":"secret"}', 'secret']) {
      expect(refusal(input).message).not.toContain('secret')
    }
  })

  it('may be refused by limits of the caller', () => {
    expect(refusal(nested(65), { depth: undefined }).code).toBe('depth')
    expect(refusal('[[1]]', { depth: 1 }).code).toBe('depth')
    expect(refusal('{"a":1,"b":2}', { members: 1 }).code).toBe('members')
    expect(refusal('[1,2,3]', { elements: 2 }).code).toBe('members')
    expect(parseJson('[{"a":[1,2],"b":[3,4]}]', { depth: 3, members: 2, elements: 2 })).toEqual([{ a: [1, 2], b: [3, 4] }])
  })

  it('with a million open levels is refused quickly, without a stack overflow', () => {
    for (const open of ['[', '{"a":', '[{"a":']) {
      const text = open.repeat(1_000_000)
      expectWithin(
        quickest(() => expect(refusal(text).code).toBe('depth')),
        50,
      )
    }
    expect(refusal(nested(1_000_000), { depth: 64 }).code).toBe('depth')
  })
})

describe('an accepted text', () => {
  it.each([
    nested(64),
    objectOf(10_000),
    '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}',
    '{"a:b,{[":"}],:\\"","c":"\\\\"}',
    '"\\ud83d\\ude00😀"',
    '[1.0,0,-0.5,1e3,5e-324,1e308,9007199254740994]',
    ' \t\r\n[ ] ',
  ])('%.60s', (text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text))
    expect(parseJson(new TextEncoder().encode(text))).toEqual(JSON.parse(text))
  })

  it('may have 400,000 values, in one array or in many; a longer one is refused by name', () => {
    const many = (arrays: number, each: number) =>
      `[${Array(arrays)
        .fill(`[${'0,'.repeat(each - 1)}0]`)
        .join()}]`
    expect(parseJson(many(1, 400_000))).toHaveLength(1)
    expect(parseJson(many(100, 4_000))).toHaveLength(100)
    for (const text of [many(1, 400_002), many(100, 4_002)]) expect(() => parseJson(text)).toThrow('more than 400000 values')
  })

  it('keeps __proto__ and constructor as ordinary members', () => {
    const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'
    const value = parseJson(text)
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
    expect(JSON.stringify(value)).toBe(text)
  })
})

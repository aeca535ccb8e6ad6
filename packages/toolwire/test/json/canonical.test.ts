import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../src/bounds/steps.js'
import { canonicalJson, canonicalJsonSteps, type Json } from '../../src/json.js'

const float = (bits: string): number => {
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, BigInt(`0x${bits}`))
  return view.getFloat64(0)
}

describe('RFC 8785', () => {
  it('writes the example of section 3.2.2 and 3.2.3', () => {
    const value = JSON.parse(
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    )
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    )
  })

  it('sorts names by UTF-16 code units, as in section 3.2.3', () => {
    const value = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    }
    expect(canonicalJson(value).match(/(?<=:")[^"]*/g)).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ])
  })

  it('sorts names that look like indices in the same way', () => {
    expect(canonicalJson({ b: 0, '9': 0, '10': 0, '-1': 0 })).toBe('{"-1":0,"10":0,"9":0,"b":0}')
  })

  it('ignores custom toJSON and toString methods', () => {
    const value = { a: [{ toJSON: () => 'other', b: 1 }] } as unknown as Json
    expect(canonicalJson(value)).toBe('{"a":[{"b":1,"toJSON":null}]}')
  })

  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['41b3de4355555553', '333333333.3333332'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('writes the number %s of appendix B as %s', (bits, text) => {
    expect(canonicalJson(float(bits))).toBe(text)
  })

  it('keeps names of built-in properties, and omits undefined members', () => {
    expect(canonicalJson({ ...JSON.parse('{"__proto__":{"b":1,"a":2}}'), z: undefined })).toBe('{"__proto__":{"a":2,"b":1}}')
  })

  it('gives equal text only for equal values, whatever their order', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value as Json)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
        expect(canonicalJson(reversed(value as Json))).toBe(text)
      }),
    )
  })

  it('is written in many steps if it is long and unsorted, with the same text', () => {
    const names = fc.oneof(fc.constantFrom('10', '9', '__proto__', 'b', 'a'), fc.string())
    const { value: tree } = fc.letrec<{ value: Json; list: Json; object: Json }>((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, fc.jsonValue({ maxDepth: 0 }) as fc.Arbitrary<Json>, tie('list'), tie('object')),
      list: fc.array(tie('value')),
      object: fc.dictionary(names, tie('value')),
    }))
    const rows = Array.from({ length: 300 }, (_, at) => ({ b: at, a: 'x', '10': null, '9': [undefined], none: undefined }))
    fc.assert(
      fc.property(tree, tree, (one, other) => {
        const value = {
          z: one,
          y: { rows: [...rows, one], list: rows.map(({ b }) => b) },
          x: other,
          w: undefined,
        } as object as Json
        const steps = canonicalJsonSteps(value)
        expect(typeof steps === 'string' ? steps : finish(steps)).toBe(canonicalJson(value))
      }),
    )
    const steps = canonicalJsonSteps(Array.from({ length: 9_000 }, () => rows[0]) as object as Json)
    expect(typeof steps === 'string' ? [] : [...steps].length).toBeGreaterThan(100)
  })
})

function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, item]) => [name, reversed(item ?? null)]),
  )
}

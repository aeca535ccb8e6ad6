// Test vectors of RFC 8785: appendix B, and the files that its authors publish.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, type Json, parseJson } from '../../src/json.js'

const float = (bits: string): number => new Float64Array(new BigUint64Array([BigInt(`0x${bits}`)]).buffer)[0] ?? Number.NaN

describe('the files of RFC 8785', () => {
  it.each([
    ['arrays', '[\n  56,\n  {\n    "d": true,\n    "10": null,\n    "1": [ ]\n  }\n]', '[56,{"1":[],"10":null,"d":true}]'],
    [
      'french',
      '{"peach": "This sorting order", "péché": "is wrong according to French", "pêche": "but canonicalization MUST", "sin": "ignore locale"}',
      '{"peach":"This sorting order","péché":"is wrong according to French","pêche":"but canonicalization MUST","sin":"ignore locale"}',
    ],
    [
      'structures',
      '{"1": {"f": {"f": "hi","F": 5} ,"\\n": 56.0}, "10": { }, "": "empty", "a": { }, "111": [ {"e": "yes","E": "no" } ], "A": { }}',
      '{"":"empty","1":{"\\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}',
    ],
    ['unicode', '{"Unnormalized Unicode":"A\\u030a"}', '{"Unnormalized Unicode":"A\u030a"}'],
    [
      'values',
      '{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001], "string": "\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/", "literals": [null, true, false]}',
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    ],
    [
      'weird',
      '{"\\u20ac": "Euro Sign", "\\r": "Carriage Return", "\\u000a": "Newline", "1": "One", "\\u0080": "Control\\u007f", "\\ud83d\\ude02": "Smiley", "\\u00f6": "Latin Small Letter O With Diaeresis", "\\ufb33": "Hebrew Letter Dalet With Dagesh", "</script>": "Browser Challenge"}',
      '{"\\n":"Newline","\\r":"Carriage Return","1":"One","</script>":"Browser Challenge","\u0080":"Control\u007f","\u00f6":"Latin Small Letter O With Diaeresis","\u20ac":"Euro Sign","\ud83d\ude02":"Smiley","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    ],
  ])('%s', (_, input, output) => {
    expect(canonicalJson(parseJson(input))).toBe(output)
  })

  it.each([
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['c340000000000000', '-9007199254740992'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
  ])('also write the number %s of appendix B as %s', (bits, text) => {
    expect(canonicalJson(float(bits))).toBe(text)
    expect(canonicalJson(JSON.parse(text))).toBe(text)
  })
})

describe('canonical text', () => {
  it('has the same value as its source, whatever the order of the members', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.infiniteStream(fc.nat()), (given, numbers) => {
        const value = JSON.parse(JSON.stringify(given)) as Json
        const text = canonicalJson(value)
        expect(JSON.parse(text)).toEqual(value)
        expect(canonicalJson(shuffled(value, numbers))).toBe(text)
        expect(canonicalJson(JSON.parse(text))).toBe(text)
      }),
    )
  })
})

function shuffled(value: Json, numbers: Iterator<number>): Json {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, numbers))
  if (typeof value !== 'object' || value === null) return value
  const drawn = Object.entries(value).map((entry) => ({ entry, at: numbers.next().value as number }))
  const ordered = drawn.sort((one, other) => one.at - other.at).map(({ entry }) => entry)
  return Object.fromEntries(ordered.map(([name, item]) => [name, shuffled(item ?? null, numbers)]))
}

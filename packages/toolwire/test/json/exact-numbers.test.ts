import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeJson, isObject, JsonError, parseJson, parseMessageJson } from '../../src/json.js'
import { howMany } from '../soak.js'
import { pointerOf } from './defects.js'

const huge = 9007199254740993n

describe('integers beyond 2^53', () => {
  it.each([
    ['the id of a message', '{"id":9007199254740993}', { id: huge }],
    ['a negative id', '{"id" : -9007199254740993 }', { id: -huge }],
    ['an id of a hundred digits', `{"id":${'7'.repeat(100)}}`, { id: BigInt('7'.repeat(100)) }],
    ['the ids of a batch', '[{"id":9007199254740993},{"id":1}]', [{ id: huge }, { id: 1 }]],
    [
      'a progress token',
      '{"params":{"_meta":{"progressToken":9007199254740993}}}',
      { params: { _meta: { progressToken: huge } } },
    ],
    ['the id of a cancelled request', '{"params":{"requestId":9007199254740993}}', { params: { requestId: huge } }],
    [
      'the id of a subscription',
      '{"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":9007199254740993}}}',
      { params: { _meta: { 'io.modelcontextprotocol/subscriptionId': huge } } },
    ],
  ])('BASE-023 survive as %s', (_, text, value) => {
    expect(parseMessageJson(text)).toEqual(value)
    expect(parseMessageJson(encodeJson(value))).toEqual(value)
    expect(() => parseJson(text)).toThrow(JsonError)
  })

  it.each([
    ['an id inside of params', '{"params":{"id":9007199254740993}}', '/params/id'],
    ['metadata of a resource', '{"result":{"resources":[{"_meta":{"requestId":9007199254740993}}]}}', '/_meta/requestId'],
    ['metadata of a result', '{"result":{"_meta":{"progressToken":9007199254740993}}}', '/result/_meta/progressToken'],
    [
      'an annotation of a tool',
      '{"result":{"tools":[{"annotations":{"requestId":9007199254740993}}]}}',
      '/annotations/requestId',
    ],
    ['an argument', '{"params":{"arguments":{"requestId":9007199254740993}}}', '/params/arguments/requestId'],
    ['a key that ends like an id', '{"x\\"id":9007199254740993}', '/x%22id'],
    ['a decimal', '{"id":9007199254740993.5}', '/id'],
    ['an exponent', '{"id":9007199254740993e1}', '/id'],
    ['an id of more than 256 digits', `{"id":${'7'.repeat(257)}}`, '/id'],
    ['a number beside an id', '[{"id":9007199254740993},{"n":9007199254740993}]', '/1/n'],
    [
      'a default in a schema',
      '{"result":{"tools":[{"inputSchema":{"default":{"maximum":9007199254740993}}}]}}',
      '/default/maximum',
    ],
    ['a result like a schema', '{"result":{"structuredContent":{"maximum":9007199254740993}}}', '/maximum'],
  ])('are refused with their place in %s', (_, text, place) => {
    expect(() => parseMessageJson(text)).toThrow(new RegExp(`exactly .*${place}$`))
  })

  it.each([
    ['a value like a key', '{"a":"\\"id\\":9007199254740993","b":1e20}'],
    ['a safe id beside a large number', '{"id":9007199254740991,"n":1e20}'],
    [
      'the range of an integer type',
      '{"result":{"tools":[{"inputSchema":{"properties":{"n":{"maximum":18446744073709551615}}}}]}}',
    ],
  ])('are read as by JSON.parse in %s', (_, text) => {
    expect(parseMessageJson(text)).toEqual(JSON.parse(text))
  })
})

/** Places of ids and tokens in a message. */
const echoed: readonly (readonly (string | number)[])[] = [
  ['id'],
  ['params', 'requestId'],
  ['params', 'progressToken'],
  ['params', '_meta', 'progressToken'],
  ['params', '_meta', 'io.modelcontextprotocol/subscriptionId'],
]
const step = fc.oneof(
  fc.constantFrom(...new Set(echoed.flat()), 'result', 'error', 'data', 'tools', 'arguments', 'structuredContent', 'content'),
  fc.nat({ max: 2 }),
)
const placed = (path: readonly (string | number)[], digits: string): string =>
  path.reduceRight<string>(
    (text, at) => (typeof at === 'number' ? `[${'0,'.repeat(at)}${text}]` : `{"method":"x",${JSON.stringify(at)}:${text}}`),
    digits,
  )

describe('a large integer at any place of a message', () => {
  it('is a bigint as an id or a token, and is refused with its place elsewhere', () => {
    const path = fc.oneof(fc.constantFrom(...echoed), fc.array(step, { minLength: 1, maxLength: 6 }))
    const whole = fc.tuple(path, fc.boolean()).map(([path, inBatch]) => (inBatch ? [1, ...path] : path))
    const pointers = new Set(echoed.flatMap((place) => [pointerOf(place), pointerOf([1, ...place])]))
    fc.assert(
      fc.property(whole, fc.constantFrom(huge, -huge, 2n ** 64n - 1n), (place, digits) => {
        const text = placed(place, String(digits))
        // The first index is the position in a batch.
        const ofMessage = typeof place[0] === 'number' ? [1, ...place.slice(1)] : place
        if (!pointers.has(pointerOf(ofMessage))) {
          expect(() => parseMessageJson(text)).toThrow(JsonError)
          return
        }
        const read = parseMessageJson(text)
        expect(read).toHaveProperty(place.map(String), digits)
        expect(encodeJson(read)).toBe(text)
        // Other code writes such parts without handling bigints, so they must contain none.
        const messages = Array.isArray(read) ? read : [read]
        for (const message of messages) {
          if (!isObject(message)) continue
          const { id: _, params, ...others } = message
          expect(() => JSON.stringify(others)).not.toThrow()
          if (!isObject(params)) continue
          const { requestId: _id, progressToken: _token, _meta, ...rest } = params
          expect(() => JSON.stringify(rest)).not.toThrow()
        }
      }),
      { numRuns: howMany(500, 20_000), seed: 9 },
    )
  })
})

describe('a long key above many large numbers', () => {
  // Decoding it for each number would take half a minute.
  it.each([
    'id',
    'requestId',
    'progressToken',
    'maximum',
    'other',
  ])('is decoded once if the large numbers are named %s', (name) => {
    const numbers = Array.from({ length: 20_000 }, () => `{"${name}":18014398509481984}`).join()
    for (const key of ['k'.repeat(1_000_000), '\\u006b'.repeat(200_000)])
      expect(parseMessageJson(`{"${key}":[${numbers}]}`)).toHaveProperty([JSON.parse(`"${key}"`), 19_999])
  })
})

describe('encoding', () => {
  it('matches JSON.stringify', () => {
    const value = { a: [1, undefined, 'é\n'], b: undefined, c: new Date(0), d: { toJSON: () => 'e' } }
    expect(encodeJson(value)).toBe(JSON.stringify(value))
  })

  it('BASE-023 writes a bigint as digits, and changes nothing else', () => {
    expect(encodeJson({ id: huge, a: ['9007199254740993', '"1"', -huge], b: undefined })).toBe(
      '{"id":9007199254740993,"a":["9007199254740993","\\"1\\"",-9007199254740993]}',
    )
  })

  it('writes null for values without a JSON form, and refuses a circular value', () => {
    const circle: { self?: unknown } = {}
    circle.self = circle
    expect(encodeJson(undefined)).toBe('null')
    expect(() => encodeJson(circle)).toThrow(TypeError)
  })
})

describe('a negative zero', () => {
  const zero = fc
    .record({
      whole: fc.constantFrom('-0'),
      fraction: fc.constantFrom('', '.0', '.000'),
      exponent: fc.constantFrom('', 'e5', 'E-5', 'e0'),
    })
    .map(({ whole, fraction, exponent }) => whole + fraction + exponent)
  const inValue = fc.constantFrom<(n: string) => string>(
    (n) => n,
    (n) => `[1,${n}]`,
    (n) => `{"a":{"b":[0,${n}]}}`,
  )

  it('is refused by name, in messages everywhere except in responses', () => {
    fc.assert(
      fc.property(zero, inValue, (literal, value) => {
        const text = value(literal)
        expect(() => parseJson(text)).toThrow('a negative zero')
        expect(() => parseMessageJson(`{"method":"tools/call","params":{"arguments":{"a":${text}}}}`)).toThrow('a negative zero')
        expect(() => parseMessageJson(`[{"id":1,"params":{"progressToken":${text}}}]`)).toThrow('a negative zero')
        for (const answer of [`{"id":1,"result":{"content":${text}}}`, `[{"id":1,"error":{"data":${text}}}]`])
          expect(parseMessageJson(answer)).toEqual(JSON.parse(answer))
        const positive = value(literal.slice(1))
        expect(parseJson(positive)).toEqual(JSON.parse(positive))
      }),
      { numRuns: howMany(100, 1_000) },
    )
  })
})

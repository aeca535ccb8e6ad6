import fc from 'fast-check'
import { expect, it } from 'vitest'
import { encodeJson, type JsonObject } from '../../src/json.js'
import { frozenArguments, frozenCopy, jsonCopy } from '../../src/policy/frozen-copy.js'

const odd = fc.constantFrom<unknown>(
  ...[
    undefined,
    -0,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    2n ** 70n,
    new Date(0),
    () => 1,
    Symbol('s'),
    { toJSON: () => ({ a: 1 }) },
  ],
  ...[new Map([[1, 2]]), Object.create({ inherited: 1 }), Object.assign(Object.create(null), { a: 1 }), new String('boxed')],
)
const { value: anything } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 5 }, fc.jsonValue({ maxDepth: 1 }), { arbitrary: odd, weight: 1 }, tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 5 }),
  object: fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', '10', '9')), tie('value'), { maxKeys: 5 }),
}))

function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return []
  return [value, ...Object.values(value).flatMap(objectsIn)]
}

it('a copy equals the JSON form of the value, keeps the order, and shares nothing with it', () => {
  fc.assert(
    fc.property(anything, (inner) => {
      const value = { inner } as JsonObject
      const text = encodeJson(value)
      for (const copy of [frozenCopy(value), jsonCopy(value)]) {
        expect(copy).toEqual(JSON.parse(text))
        expect(encodeJson(copy)).toBe(encodeJson(JSON.parse(text)))
        const own = new Set(objectsIn(value))
        expect(objectsIn(copy).filter((object) => own.has(object))).toEqual([])
      }
      expect(objectsIn(frozenCopy(value)).every(Object.isFrozen)).toBe(true)
      expect(objectsIn(jsonCopy(frozenCopy(value))).some(Object.isFrozen)).toBe(false)
    }),
  )
})

it('a value that JSON cannot express is refused, and a deep value is copied', () => {
  const circle: { self?: unknown } = {}
  circle.self = circle
  expect(() => frozenArguments(circle as JsonObject)).toThrow('cannot be written as JSON')
  let deep: JsonObject = {}
  for (let depth = 0; depth < 500; depth++) deep = { deep }
  expect(frozenCopy(deep)).toEqual(deep)
})

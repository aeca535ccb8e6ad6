import { Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Json } from '../../src/json.js'
import { compile } from '../../src/schema/index.js'

const holds = (schema: Json, value: unknown) => compile(schema).check(value).length === 0

afterEach(() => vi.restoreAllMocks())

describe('references', () => {
  it('JSCH-007 JSCH-008 an external reference is never fetched, whatever the options', () => {
    const fetched = vi.spyOn(globalThis, 'fetch')
    const connected = vi.spyOn(Socket.prototype, 'connect')
    for (const trusted of [true, false]) {
      for (const $ref of ['https://127.0.0.1/x.json', 'http://169.254.169.254/latest', 'file:///etc/passwd', 'other.json']) {
        expect(() => compile({ $ref }, { trusted })).toThrow('never fetched')
      }
    }
    expect(fetched).not.toHaveBeenCalled()
    expect(connected).not.toHaveBeenCalled()
  })

  it.each([
    '#/$defs/absent',
    '#absent',
    'https://x.example/y',
    '#/%zz',
    '#/examples/0',
    'http://[',
  ])('JSCH-010 %s is refused, and not ignored', ($ref) => {
    const attempt = () => compile({ examples: [[1]], $defs: { unused: { properties: { a: { $ref } } } } })
    expect(attempt).toThrow(expect.objectContaining({ code: $ref === '#/examples/0' ? 'invalid-schema' : 'unresolved-ref' }))
  })

  it('JSCH-011 a recursive schema validates a tree of depth 50', () => {
    const schema = {
      $ref: '#/$defs/tree',
      $defs: { tree: { $anchor: 't', properties: { value: { type: 'number' }, next: { $ref: '#t' } } } },
    }
    const tree = (leaf: unknown) => Array.from({ length: 50 }).reduce((next) => ({ value: 1, next }), { value: leaf })
    expect(holds(schema, tree(1))).toBe(true)
    expect(compile(schema).check(tree('x'))).toMatchObject([{ path: `${'/next'.repeat(50)}/value`, keyword: 'type' }])
  })

  it('a preloaded document is found', () => {
    const remotes = { 'https://x.example/number': { type: 'number' } }
    expect(compile({ $ref: 'https://x.example/number' }, { remotes }).check('1')).toHaveLength(1)
  })

  it('two schemas with the same $id are independent', () => {
    const $id = 'https://x.example/same'
    const first = compile({ $id, $ref: '#/$defs/a', $defs: { a: { type: 'string' } } })
    const second = compile({ $id, $ref: '#/$defs/a', $defs: { a: { type: 'number' } } })
    expect([first.check('x'), second.check(1)]).toEqual([[], []])
    expect([first.check(1).length, second.check('x').length]).toEqual([1, 1])
    expect(() => compile({ $ref: $id })).toThrow('cannot be resolved')
  })

  it('a duplicate $id in one schema is refused', () => {
    const twin = { $id: 'https://x.example/twin' }
    expect(() => compile({ allOf: [{ ...twin }, { ...twin }] })).toThrow('same $id')
  })

  it('a long chain of references compiles without recursion', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 50_000 }, (_, index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}` }]),
    )
    const schema = { $defs: { ...$defs, d50000: { type: 'string' } } }
    expect(compile(schema, { trusted: true }).check(1)).toEqual([])
  })

  it('names of built-in properties are ordinary names', () => {
    expect(holds({ required: ['toString', '__proto__'] }, {})).toBe(false)
    expect(holds({ additionalProperties: false }, JSON.parse('{"__proto__":1}'))).toBe(false)
    expect(holds({ properties: { constructor: { type: 'string' } } }, {})).toBe(true)
    expect(holds(JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'), JSON.parse('{"__proto__":1}'))).toBe(false)
  })
})

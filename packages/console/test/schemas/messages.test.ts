import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inexactWarning, numberText, parseNumberText } from '../../src/schemas/form/NumberField.js'
import { issuesAt } from '../../src/schemas/issues-at.js'
import type { Json } from '../../src/schemas/json.js'
import { readJson } from '../../src/schemas/read-json.js'
import { schemaCheckOf } from '../../src/schemas/schema-check.js'
import { schemaDocumentOf } from '../../src/schemas/schema-document.js'
import { schemas, values } from './generated-schemas.js'

function issuesOf(schema: Json, value: Json) {
  const check = schemaCheckOf(schema)
  if (typeof check !== 'function') throw new Error(check.why)
  return issuesAt(check(value))
}

describe('the errors of a value', () => {
  it('are shown at the field that can correct them, even if that field is missing', () => {
    const schema = {
      properties: { limit: { maximum: 9 }, 'a/b': { required: ['~'] }, card: {} },
      required: ['query'],
      dependentRequired: { card: ['owner'] },
    }
    const issues = issuesOf(schema, { limit: 10, 'a/b': {}, card: 1 })
    expect(issues.get('/limit')?.[0]).toContain('9')
    expect(issues.get('/query')).toEqual(['needs a value'])
    expect(issues.get('/a~1b/~0')).toEqual(['needs a value'])
    expect(issues.get('/owner')).toEqual(['needs a value, because "card" is present'])
  })

  it('agree with the whole schema: a value that matches a part is valid in its place', () => {
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        const document = schemaDocumentOf(schema)
        if (typeof document.check !== 'function') return
        expect(document.fits(document.root, value)).toBe(document.check(value).length === 0)
      }),
    )
  })

  it('are found for every pattern, without delay for a malicious pattern', () => {
    expect(issuesOf({ pattern: '^(a+)+$' }, `${'a'.repeat(5_000)}!`).size).toBe(1)
    expect(issuesOf({ patternProperties: { '(x*)*y': false } }, { [`${'x'.repeat(5_000)}z`]: 1 }).size).toBe(0)
    expect(issuesOf({ pattern: '^[a-z]+$' }, 'A1').size).toBe(1)
  })

  it('cannot be found for an invalid schema, which is reported instead', () => {
    expect(schemaCheckOf({ type: 'strange' })).toHaveProperty('why')
    expect(schemaCheckOf({ $ref: 'https://elsewhere.example/schema' })).toHaveProperty('why')
  })
})

describe('a field for numbers', () => {
  it('writes every number so that it is read back unchanged', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(parseNumberText(numberText(number, undefined))).toBe(Object.is(number, -0) ? 0 : number)
      }),
    )
  })

  it('does not change the text during typing', () => {
    expect(numberText(1, '1.0')).toBe('1.0')
    expect(numberText(2, '1.0')).toBe('2')
    expect(numberText(undefined, '')).toBe('')
  })

  it('keeps text that is not a number, so that no other value is sent', () => {
    for (const text of ['1e', '0x10', '1,5', 'NaN', 'Infinity', '1e999', '01']) expect(parseNumberText(text)).toBe(text)
  })

  it('warns of lost digits', () => {
    expect(inexactWarning('9007199254740993')).toContain('cannot be sent')
    expect(parseNumberText('9007199254740993')).toBe('9007199254740993')
    expect(inexactWarning('9007199254740992')).toBeUndefined()
    expect(inexactWarning('1.5')).toBeUndefined()
    expect(inexactWarning('one')).toBeUndefined()
  })
})

describe('raw JSON', () => {
  it('is refused if it is invalid, or if two parsers could read it differently', () => {
    expect(readJson('{"a":1,"\\u0061":2}')).toHaveProperty('why', 'An object has the same name twice.')
    expect(readJson('{"a":1,}')).toHaveProperty('why')
    expect(readJson(' ')).toHaveProperty('why', expect.stringContaining('{}'))
    expect(readJson('['.repeat(100) + ']'.repeat(100))).toHaveProperty('why')
  })

  it('reports numbers with more digits than can be represented', () => {
    expect(readJson('{"n":12345678901234567891}')).toHaveProperty('why', 'The number at /n has too many digits for JSON.')
    expect(readJson('{"n":1}')).toEqual({ value: { n: 1 } })
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseTemplate } from '../../../src/tools/uris/uri-template.js'
import { quickest } from '../../quickest-of-three.js'
import { expectWithin } from '../../soak.js'

it('each variable is listed once', () => {
  expect(parseTemplate('a://{x}{/x:2,y*}{?z}').variables).toEqual(['x', 'y', 'z'])
})

describe('malformed templates', () => {
  for (const template of [
    '{a',
    'a}b',
    '{}',
    '{a,}',
    '{a b}',
    '{=a}',
    '{|a}',
    '{a:0}',
    '{a:10000}',
    '{a:x}',
    '{a**}',
    '{a-b}',
    '100%',
    'a b',
    '{%4}',
  ]) {
    it(`refuses ${template} with a message that quotes it`, () => {
      expect(() => parseTemplate(template)).toThrow(
        expect.objectContaining({ name: 'DefinitionError', message: expect.stringContaining(template) }),
      )
    })
  }
})

describe('matching', () => {
  const read = (template: string, uri: string) => parseTemplate(template).match(uri)

  it('reads percent-decoded variables', () => {
    expect(read('notes://{year}/{+path}', 'notes://2024/a%20b/c')).toEqual({ year: '2024', path: 'a b/c' })
    expect(read('notes://{name}', 'notes://caf%C3%A9%2Fbar')).toEqual({ name: 'café/bar' })
  })

  it('keeps a plain variable inside its segment, while a reserved one may span segments', () => {
    expect(read('notes://{id}', 'notes://a/b')).toBeUndefined()
    expect(read('notes://{id}', 'notes://a?b')).toBeUndefined()
    expect(read('notes://{+id}', 'notes://a/b?c')).toEqual({ id: 'a/b?c' })
    expect(read('notes://x{#part}', 'notes://x#a/b')).toEqual({ part: 'a/b' })
  })

  it('matches the whole URI, literally', () => {
    expect(read('a.b://{x}', 'aXb://1')).toBeUndefined()
    expect(read('notes://{id}.txt', 'notes://a.txt.txt')).toEqual({ id: 'a.txt' })
    expect(read('notes://{id}.txt', 'notes://a.txt/')).toBeUndefined()
    expect(read('notes://{id}', 'notes://')).toBeUndefined()
    expect(read('notes://all', 'notes://all')).toEqual({})
  })

  it('gives each variable as much as the rest allows', () => {
    expect(read('x:{+a}/{b}', 'x:1/2/3')).toEqual({ a: '1/2', b: '3' })
    expect(read('x:{+a}/end/{+b}', 'x:1/end/2/end/3')).toEqual({ a: '1/end/2', b: '3' })
    expect(read('x:{a,b}', 'x:1,2')).toEqual({ a: '1', b: '2' })
  })

  it('accepts named pairs in any order, and none', () => {
    expect(read('s://q{?text,limit}', 's://q?limit=5&text=a%26b')).toEqual({ text: 'a&b', limit: '5' })
    expect(read('s://q{?text,limit}', 's://q')).toEqual({})
    expect(read('s://q?fixed=1{&text}', 's://q?fixed=1&text=')).toEqual({ text: '' })
    expect(read('s://q{?a,ab}', 's://q?ab=1&a=2')).toEqual({ a: '2', ab: '1' })
    expect(read('s://q{;a,b}/z', 's://q;a;b=2/z')).toEqual({ a: '', b: '2' })
    expect(read('s://q{?text}', 's://q?other=1')).toBeUndefined()
    expect(read('s://q{?text}', 's://q?text=1&text=2')).toBeUndefined()
    expect(read('s://q{?tag*}', 's://q?tag=1&tag=2')).toEqual({ tag: '1,2' })
  })

  it('requires the same value for both occurrences of a variable', () => {
    expect(read('x:{a:1}/{a}', 'x:v/value')).toEqual({ a: 'value' })
    expect(read('x:{a:1}/{a}', 'x:w/value')).toBeUndefined()
    expect(read('x:{a}/{a}', 'x:1/2')).toBeUndefined()
  })

  it('refuses invalid encodings and NUL', () => {
    for (const raw of ['%', '%4', '%zz', '%ff', '%c0%ae', '%00', 'a%00.txt', 'a\0b'])
      expect(read('n://{x}', `n://${raw}`)).toBeUndefined()
  })

  it('returns a variable called __proto__ as a plain entry', () => {
    expect(Object.entries(read('n://{__proto__}', 'n://a') ?? {})).toEqual([['__proto__', 'a']])
  })

  it('extracts every value from a URI that contains it in encoded form', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((value) => !value.includes('\0'))
    const target = parseTemplate('t://{a}/{b}{.c}{?d,e}{#f}')
    const encoded = (value: string) =>
      encodeURIComponent(value).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
    fc.assert(
      fc.property(text, text, text, text, text, (a, b, d, e, f) => {
        const uri = `t://${encoded(a)}/${encoded(b)}?d=${encoded(d)}&e=${encoded(e)}#${encodeURI(f)}`
        expect(target.match(uri)).toEqual({ a, b, d, e, f })
      }),
    )
  })

  it('stays linear on hostile URIs', () => {
    const hostile = [
      ['x:{+a}{+b}{+c}{+d}{+e}/end', `x:${'/'.repeat(60_000)}`],
      ['x:{+a}/{+b}/{+c}/{+d}!', `x:${'a/'.repeat(30_000)}`],
      ['x:q{?a,b}!', `x:q${'?a=1&b=2'.repeat(7_000)}`],
      ['file:///{+path}', `file:///${'%25'.repeat(20_000)}2e`],
    ] as const
    for (const [template, uri] of hostile) {
      expectWithin(
        quickest(() => read(template, uri)),
        250,
      )
    }
  })

  it('refuses a URI longer than 65,536 characters', () => {
    expect(read('x:{a}', `x:${'a'.repeat(65_534)}`)).toBeDefined()
    expect(read('x:{a}', `x:${'a'.repeat(65_535)}`)).toBeUndefined()
  })
})

describe('file templates', () => {
  const climbing = [
    '..',
    '../etc/passwd',
    'a/../../etc/passwd',
    'a/..',
    '%2e%2e/etc/passwd',
    '.%2E/etc/passwd',
    '%2e%2e%2fetc%2fpasswd',
    '..%2fetc',
    '..%5cetc',
    '..\\etc',
    'a\\..\\..\\etc',
    '%252e%252e%252fetc',
    '%25252e%25252e/etc',
    '..%252fetc',
    '..%255cetc',
    '..%00/etc',
    '%2e%2e%20/etc',
    'a%00',
    '%c0%ae%c0%ae/etc',
  ]
  for (const path of climbing) {
    it(`RSRC-007 refuses the traversal corpus: ${path}`, () => {
      expect(parseTemplate('file:///{+path}').match(`file:///${path}`)).toBeUndefined()
      expect(parseTemplate('FILE:///srv{?path}').match(`FILE:///srv?path=${path}`)).toBeUndefined()
    })
  }

  it('RSRC-007 refuses a `..` that two variables of the traversal corpus form together', () => {
    expect(parseTemplate('file:///{a}{b}/x').match('file:///../x')).toBeUndefined()
    expect(parseTemplate('file:///.{a}/x').match('file:///../x')).toBeUndefined()
  })

  it('accepts names with dots', () => {
    for (const path of ['a.txt', '..a', 'a..', '...', '.hidden', 'v1..2/x', '100%25']) {
      expect(parseTemplate('file:///{+path}').match(`file:///${path}`)).toEqual({ path: decodeURIComponent(path) })
    }
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseTemplate } from '../../../src/tools/uris/uri-template.js'
import { quickest } from '../../quickest-of-three.js'
import { expectWithin } from '../../soak.js'

// The values and expansions of RFC 6570, sections 1.2 and 3.2.
const values = {
  count: ['one', 'two', 'three'],
  dom: ['example', 'com'],
  dub: 'me/too',
  hello: 'Hello World!',
  half: '50%',
  var: 'value',
  who: 'fred',
  base: 'http://example.com/home/',
  path: '/foo/bar',
  list: ['red', 'green', 'blue'],
  keys: { semi: ';', dot: '.', comma: ',' },
  v: '6',
  x: '1024',
  y: '768',
  empty: '',
  empty_list: [],
  undef: undefined,
}

const expansions: Record<string, string> = {
  'O{empty}X': 'OX',
  'O{undef}X': 'OX',
  '{hello}': 'Hello%20World%21',
  '{half}': '50%25',
  '{x,y}': '1024,768',
  '{x,hello,y}': '1024,Hello%20World%21,768',
  '?{x,empty}': '?1024,',
  '?{x,undef}': '?1024',
  '{var:3}': 'val',
  '{var:30}': 'value',
  '{list}': 'red,green,blue',
  '{list*}': 'red,green,blue',
  '{keys}': 'semi,%3B,dot,.,comma,%2C',
  '{keys*}': 'semi=%3B,dot=.,comma=%2C',
  '{+hello}': 'Hello%20World!',
  '{+half}': '50%25',
  '{base}index': 'http%3A%2F%2Fexample.com%2Fhome%2Findex',
  '{+base}index': 'http://example.com/home/index',
  'O{+empty}X': 'OX',
  '{+path}/here': '/foo/bar/here',
  'up{+path}{var}/here': 'up/foo/barvalue/here',
  '{+path:6}/here': '/foo/b/here',
  '{+keys}': 'semi,;,dot,.,comma,,',
  '{+keys*}': 'semi=;,dot=.,comma=,',
  '{#var}': '#value',
  '{#path,x}/here': '#/foo/bar,1024/here',
  '{#keys*}': '#semi=;,dot=.,comma=,',
  'foo{#empty}': 'foo#',
  'foo{#undef}': 'foo',
  'X{.list*}': 'X.red.green.blue',
  'X{.keys*}': 'X.semi=%3B.dot=..comma=%2C',
  'X{.empty_list}': 'X',
  'www{.dom*}': 'www.example.com',
  '{/var,empty}': '/value/',
  '{/var:1,var}': '/v/value',
  '{/list*}': '/red/green/blue',
  '{/keys*}': '/semi=%3B/dot=./comma=%2C',
  '{;x,y,empty}': ';x=1024;y=768;empty',
  '{;list*}': ';list=red;list=green;list=blue',
  '{;keys*}': ';semi=%3B;dot=.;comma=%2C',
  '{?x,y,empty}': '?x=1024&y=768&empty=',
  '{?x,y,undef}': '?x=1024&y=768',
  '{?var:3}': '?var=val',
  '{?list*}': '?list=red&list=green&list=blue',
  '{?keys*}': '?semi=%3B&dot=.&comma=%2C',
  '{?keys}': '?keys=semi,%3B,dot,.,comma,%2C',
  '?fixed=yes{&x}': '?fixed=yes&x=1024',
  '{&x,y,empty}': '&x=1024&y=768&empty=',
}

describe('expanding', () => {
  for (const [template, uri] of Object.entries(expansions)) {
    it(`writes ${template} as ${uri}`, () => {
      expect(parseTemplate(template).expand(values)).toBe(uri)
    })
  }

  it('never reads a value from the prototype', () => {
    expect(parseTemplate('x{/constructor,toString}').expand({})).toBe('x')
  })

  it('lists each variable once', () => {
    expect(parseTemplate('a://{x}{/x:2,y*}{?z}').variables).toEqual(['x', 'y', 'z'])
  })
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
    it(`refuses ${template} with a sentence that shows it`, () => {
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

  it('keeps a plain variable inside its segment and lets a reserved one cross', () => {
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

  it('takes named pairs in any order, and none', () => {
    expect(read('s://q{?text,limit}', 's://q?limit=5&text=a%26b')).toEqual({ text: 'a&b', limit: '5' })
    expect(read('s://q{?text,limit}', 's://q')).toEqual({})
    expect(read('s://q?fixed=1{&text}', 's://q?fixed=1&text=')).toEqual({ text: '' })
    expect(read('s://q{?a,ab}', 's://q?ab=1&a=2')).toEqual({ a: '2', ab: '1' })
    expect(read('s://q{;a,b}/z', 's://q;a;b=2/z')).toEqual({ a: '', b: '2' })
    expect(read('s://q{?text}', 's://q?other=1')).toBeUndefined()
    expect(read('s://q{?text}', 's://q?text=1&text=2')).toBeUndefined()
    expect(read('s://q{?tag*}', 's://q?tag=1&tag=2')).toEqual({ tag: '1,2' })
  })

  it('holds a variable that stands twice to one value', () => {
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

  it('reads back what it wrote', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((value) => !value.includes('\0'))
    const target = parseTemplate('t://{a}/{b}{.c}{?d,e}{#f}')
    fc.assert(
      fc.property(text, text, text, text, text, (a, b, d, e, f) => {
        // A reserved variable keeps triplets as they are, so `%` in it does not survive the way back.
        const given = { a, b, d, e, f: f.replaceAll('%', '') }
        expect(target.match(target.expand(given))).toEqual(given)
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

  it('RSRC-007 sees a `..` that two variables of the traversal corpus make together', () => {
    expect(parseTemplate('file:///{a}{b}/x').match('file:///../x')).toBeUndefined()
    expect(parseTemplate('file:///.{a}/x').match('file:///../x')).toBeUndefined()
  })

  it('lets names with dots through', () => {
    for (const path of ['a.txt', '..a', 'a..', '...', '.hidden', 'v1..2/x', '100%25']) {
      expect(parseTemplate('file:///{+path}').match(`file:///${path}`)).toEqual({ path: decodeURIComponent(path) })
    }
  })
})

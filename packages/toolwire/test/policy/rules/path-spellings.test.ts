// One call in many spellings that deceive careless parsers.

import { resolve } from 'node:path/posix'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Json, JsonError, parseJson } from '../../../src/json.js'
import type { ArgumentSchema } from '../../../src/policy/rules/rule-set.js'
import { explain, type RuleSet } from '../../../src/rules.js'
import { howMany } from '../../soak.js'

/** Rules that allow calls if the condition holds, and rules that deny them. */
const allowing = (path: ArgumentSchema): RuleSet => ({
  default: 'deny',
  rules: [{ name: 'there', when: { tool: 'read', arguments: { path } }, decision: 'allow' }],
})
const denying = (path: ArgumentSchema): RuleSet => ({
  default: 'allow',
  rules: [{ name: 'there', when: { tool: 'read', arguments: { path } }, decision: 'deny' }],
})
const decide = (set: RuleSet, path: Json) => explain(set, { tool: 'read', arguments: { path } }).decision

it.each(
  Object.getOwnPropertyNames(Object.prototype),
)('an optional path has no value in a call without it, although every object inherits %s', (name) => {
  const there = (path: ArgumentSchema): RuleSet => ({
    default: 'deny',
    rules: [{ name: 'there', when: { arguments: Object.fromEntries([[name, path]]) }, decision: 'allow' }],
  })
  for (const path of [{ under: '/srv' }, { outside: '/etc' }]) {
    const decide = (args: { [name: string]: Json }) =>
      explain(there({ ...path, optional: true }), { tool: 'read', arguments: args }).decision
    expect(decide({})).toBe('allow')
    expect(decide(Object.fromEntries([[name, '/srv/x']]))).toBe('allow')
    expect(decide(Object.fromEntries([[name, '/etc/x']]))).toBe('deny')
  }
})

/** For some parsers, each of these reads /etc/passwd or another file outside /srv. */
const outside: readonly Json[] = [
  '/etc/passwd',
  '//etc/passwd',
  '///etc/passwd',
  '/./etc/passwd',
  '/etc/./passwd',
  '/etc//passwd',
  '/srv/../etc/passwd',
  '/srv/./../etc/passwd',
  '/srv/a/../../etc/passwd',
  '/srv//..//etc/passwd',
  '/srv/..',
  '/srv/../',
  '/srv/../srv/../etc/passwd',
  '/srv/../srvx/../etc/passwd',
  '/srvx/passwd',
  '/srv-old/passwd',
  '/srv.bak',
  '/',
  '',
  '.',
  '..',
  '../etc/passwd',
  'etc/passwd',
  'srv/../../etc/passwd',
  '~/passwd',
  '~root/passwd',
  '$HOME/passwd',
  '/srv/%2e%2e/etc/passwd',
  '/srv/%2E%2E/etc/passwd',
  '/srv/%2e./etc/passwd',
  '/srv/.%2e/etc/passwd',
  '/srv/..%2fetc/passwd',
  '/srv/..%2Fetc%2Fpasswd',
  '/srv/..%5cetc/passwd',
  '/srv/%252e%252e/etc/passwd',
  '/srv/%25252e%25252e%25252fetc/passwd',
  '/%65tc/passwd',
  '%2fetc%2fpasswd',
  '/srv\\..\\etc\\passwd',
  '\\etc\\passwd',
  '\\\\host\\etc\\passwd',
  'C:\\etc\\passwd',
  'c:/etc/passwd',
  '/srv/.. /etc/passwd',
  '/srv/..\u00a0/etc/passwd',
  '/srv/..;/etc/passwd',
  '/srv/.../../../etc/passwd',
  '/srv/%c0%ae%c0%ae/etc/passwd',
  '/srv/%u002e%u002e/etc/passwd',
  '/srv/%EF%BC%8E%EF%BC%8E/etc/passwd',
  '/srv/\uff05\u0032e\uff05\u0032e/etc/passwd',
  '/srv//../etc/passwd',
  '/srv/\uff0e\uff0e/etc/passwd',
  '/srv/\u2025/etc/passwd',
  '/srv/..\uff0fetc/passwd',
  '/srv/x/../../srv/\uff0e\uff0e/etc/passwd',
  '/srv/\u200b../etc/passwd',
  '/srv/.\u200d./etc/passwd',
  '/srv/..\0/etc/passwd',
  '/srv\0/../etc/passwd',
  '/etc/passwd\0/srv/x',
  '/srv/..%00/etc/passwd',
  '/srv/..\n/etc/passwd',
  '/SRV/../etc/passwd',
  '/SRV/passwd',
  '/ſrv/passwd',
  ' /etc/passwd',
  '\t/etc/passwd',
  'file:///etc/passwd',
  'file:/etc/passwd',
  'FILE:///etc/passwd',
  'file:///srv/../etc/passwd',
  'file:///srv/%2e%2e/etc/passwd',
  'file:/../../srv/passwd',
  'file://host/srv/passwd',
  'file:///srv/a?/../../etc/passwd',
  'file:///srv/a#/../../etc/passwd',
  'https://host/srv/passwd',
  ['/etc/passwd'],
  ['/srv/a', '/etc/passwd'],
  [],
  [[]],
  [['/srv/a']],
  { path: '/srv/a' },
  { '0': '/srv/a' },
  0,
  1,
  true,
  null,
]

/** For every parser, each of these is in /srv. */
const inside: readonly Json[] = [
  '/srv',
  '/srv/',
  '/srv/a',
  '/srv/a/b.txt',
  '/srv//a',
  '/srv/./a',
  '/srv/a/.',
  '/srv/a/../b',
  '/srv/a/../../srv/b',
  '/etc/../srv/a',
  '/srv/.hidden',
  '/srv/..a',
  '/srv/a..',
  '/srv/A/B',
  '/srv/etc/passwd',
  '/srv/with blank/a',
  '/srv/100%',
  '/srv/a%20b',
  '/srv/%41',
  '/srv/caf\u00e9',
  '/srv/cafe\u0301',
  '/srv/日本語',
  '/srv/a+b=c&d,e;f',
  '/srv/-_~!@()',
  '/srv/a?b',
  '/srv/a#b',
  'file:///srv/a',
  'file:///srv/a%20b',
  ['/srv/a'],
  ['/srv/a', '/srv/b/c'],
]

describe('a path outside a folder, in many spellings,', () => {
  it('is in a long list', () => {
    expect(outside.length).toBeGreaterThanOrEqual(80)
    expect(inside.length).toBeGreaterThanOrEqual(30)
  })

  it.each(outside.map((path) => [path]))('SECS-001 %j is refused by rules that allow the folder', (path) => {
    expect(decide(allowing({ under: '/srv' }), path)).toBe('deny')
  })

  it.each(outside.map((path) => [path]))('SECS-001 %j is refused by rules that deny paths outside the folder', (path) => {
    expect(decide(denying({ outside: '/srv' }), path)).toBe('deny')
  })

  it.each(inside.map((path) => [path]))('%j is inside and is allowed', (path) => {
    expect(decide(allowing({ under: '/srv' }), path)).toBe('allow')
    expect(decide(denying({ outside: '/srv' }), path)).toBe('allow')
  })

  it.each(
    outside.filter((path) => JSON.stringify(path).includes('passwd') && !/[sſ]rv/i.test(String(path))).map((path) => [path]),
  )('SECS-001 %j is refused by rules that deny /etc, or allow paths outside of it', (path) => {
    expect(decide(denying({ under: '/etc' }), path)).toBe('deny')
    expect(decide(allowing({ outside: '/etc' }), path)).toBe('deny')
  })

  it.each([
    '/ETC/passwd',
    '/Etc/passwd',
    '/etc./passwd',
    '/etc /passwd',
    '/ｅｔｃ/passwd',
    '/%45TC/passwd',
    '/x/..%2fetc/passwd',
  ])('SECS-001 %j is refused by rules that deny /etc, because some systems treat it as the same', (path) =>
    expect(decide(denying({ under: '/etc' }), path)).toBe('deny'))

  it('may be one that becomes too long by normalization', () => {
    const path = `/srv/${'\ufdfa'.repeat(500)}`
    expect(decide(allowing({ under: '/srv' }), path)).toBe('deny')
    expect(decide(denying({ under: '/etc' }), path)).toBe('deny')
    expect(decide(allowing({ under: '/srv' }), path.slice(0, 50))).toBe('allow')
  })

  it('does not include harmless paths under rules that deny /etc', () => {
    for (const path of ['/srv/etc', '/etcetera', '/home/ada/etc/x', '/', ['/srv/a', '/var/b'], '/home/Zoë/100% sure.txt'])
      expect([path, decide(denying({ under: '/etc' }), path)]).toEqual([path, 'allow'])
  })
})

describe('any path', () => {
  const segment = fc.constantFrom(
    'srv',
    'etc',
    '..',
    '.',
    '',
    'SRV',
    '%2e%2e',
    '..%2f',
    '.. ',
    '\uff0e\uff0e',
    'a',
    '\\..',
    '%252e',
    '..;',
    'b.c',
  )
  const path = fc.array(segment, { maxLength: 8 }).map((segments) => `/${segments.join('/')}`)
  const readers = [
    (text: string) => text,
    (text: string) => text.replaceAll('\\', '/'),
    (text: string) => text.normalize('NFKC'),
    (text: string) => text.toLowerCase(),
    (text: string) => text.replace(/[. ]+(?=\/|$)/g, (end) => (/^\.{1,2}$/.test(end) ? end : '')),
    (text: string) => text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  ]

  it('that is allowed is in the folder for every parser, and one that is not denied is outside', () => {
    const isInside = (text: string) => /^\/srv(?:\/|$)/.test(resolve('/', text))
    const orders = fc.shuffledSubarray(readers)
    fc.assert(
      fc.property(path, orders, (text, order) => {
        const read = order.reduce((seen, reader) => reader(seen), text)
        if (decide(allowing({ under: '/srv' }), text) === 'allow') expect(isInside(read)).toBe(true)
        if (decide(denying({ under: '/srv' }), text) === 'allow') expect(isInside(read)).toBe(false)
      }),
      { numRuns: howMany(200, 5_000) },
    )
  })
})

describe('a folder on a case-insensitive system', () => {
  const inEitherCase = (text: string) =>
    fc
      .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
      .map((upper) => [...text].map((letter, at) => (upper[at] ? letter.toUpperCase() : letter)).join(''))
  const names = fc.constantFrom('secret', 'straße', 'strasse', 'πόλις', 'πόλισ', 'Łódź', 'ﬁles')
  const fold = (text: string) => text.normalize('NFKC').toUpperCase().toLowerCase()
  const trail = fc.oneof(
    fc.constantFrom('', '.', ' ', '. .'),
    fc.tuple(fc.constantFrom('.', ' ', ' .'), fc.integer({ min: 60, max: 2_000 })).map(([end, times]) => end.repeat(times)),
  )
  const spelled = fc.tuple(names, names, trail, fc.constantFrom('C:/', 'C:\\', 'c:/', 'file:///C:/', '/'))

  it('is denied in each spelling of its name, with any trailing dots and spaces', () => {
    fc.assert(
      fc.property(
        spelled.chain(([name, ...rest]) => fc.tuple(inEitherCase(name), ...rest.map(fc.constant))),
        (given) => {
          const [name, folder, end, start] = given as [string, string, string, string]
          const decision = decide(denying({ under: start === '/' ? `/${folder}` : `C:/${folder}` }), `${start}${name}${end}/x`)
          expect([given, decision]).toEqual([given, fold(name) === fold(folder) ? 'deny' : 'allow'])
        },
      ),
      { numRuns: howMany(300, 5_000) },
    )
  })

  it.each([
    'C:/secret::$INDEX_ALLOCATION/x',
    'C:/secret:$I30:$INDEX_ALLOCATION/x',
    'c:\\SECRET~1\\x',
    'C:/SECRET\uff5e1/x',
    'file:///C:/SECRET%7E1/x',
  ])('is denied as %j, which a drive reads as a stream or as a short name', (path) => {
    expect(decide(denying({ under: 'C:/secret' }), path)).toBe('deny')
    expect(decide(allowing({ outside: 'C:/secret' }), path)).toBe('deny')
    expect(decide(denying({ under: 'C:/secret' }), 'C:/public/x')).toBe('allow')
  })

  it('is allowed only by its long name, because a short name may be any folder', () => {
    for (const path of ['C:/secret files/x', 'C:/SECRET~1/x'])
      expect(decide(denying({ under: 'C:/SECRET~1' }), path)).toBe('deny')
  })
})

describe('other spellings of a call', () => {
  const set: RuleSet = {
    default: 'deny',
    rules: [
      {
        name: 'small sums',
        when: { tool: 'pay', arguments: { sum: { maximum: 10 }, to: 'ada' }, closed: true },
        decision: 'allow',
      },
    ],
  }
  const pay = (text: string) => explain(set, { tool: 'pay', arguments: parseJson(text) as never }).decision

  it('get the same decision, for any order, spaces, escapes and number formats', () => {
    for (const text of [
      '{"sum":10,"to":"ada"}',
      '{"to":"ada","sum":10}',
      ' { "to" : "ada" ,\n "sum" : 10 } ',
      '{"to":"\\u0061da","sum":1e1}',
      '{"\\u0074o":"ada","s\\u0075m":10.0}',
    ])
      expect([text, pay(text)]).toEqual([text, 'allow'])
  })

  it.each([
    '{"sum":11,"to":"ada"}',
    '{"sum":1.1e1,"to":"ada"}',
    '{"sum":"10","to":"ada"}',
    '{"sum":"1","to":"ada"}',
    '{"sum":[1],"to":"ada"}',
    '{"sum":{"valueOf":1},"to":"ada"}',
    '{"sum":true,"to":"ada"}',
    '{"sum":null,"to":"ada"}',
    '{"to":"ada"}',
    '{"sum":1}',
    '{"sum":1,"to":"Ada"}',
    '{"sum":1,"to":"ada "}',
    '{"sum":1,"to":"аda"}',
    '{"sum":1,"to":["ada"]}',
    '{"sum":1,"to":"ada","Sum":1000}',
    '{"sum":1,"to":"ada","sum ":1000}',
    '{"sum":1,"to":"ada","__proto__":{"sum":1000}}',
    '{"__proto__":{"sum":1,"to":"ada"}}',
    '{"sum":1,"to":"ada","constructor":{}}',
  ])('are refused with %s', (text) => expect(pay(text)).toBe('deny'))

  it('never reach the rules if they are ambiguous', () => {
    for (const text of ['{"sum":1,"to":"ada","sum":1000}', '{"sum":1,"to":"ada","s\\u0075m":1000}', '\ufeff{"sum":1,"to":"ada"}'])
      expect(() => pay(text)).toThrow(JsonError)
  })
})

// A naive rule about the letters of a path admits some spellings; two better rules admit none.
import { describe, expect, it } from 'vitest'
import type { ArgumentSchema } from '../../../src/policy/rules/rule-set.js'
import { explain, type RuleSet } from '../../../src/rules.js'

const only = (decision: 'allow' | 'deny', path: ArgumentSchema): RuleSet => ({
  default: decision === 'allow' ? 'deny' : 'allow',
  rules: [{ name: 'there', when: { tool: 'read', arguments: { path } }, decision }],
})

/** Denies paths that begin with /etc/, and nothing more. */
const naive = only('deny', { pattern: '^/etc/' })
/** Allows plain names under /srv without parent segments. */
const letters = only('allow', { pattern: '^/srv/[A-Za-z0-9_./-]*$', not: { pattern: '\\.\\.' } })
/** The recommended rule: a place instead of letters. */
const places = only('allow', { under: '/srv' })

const decision = (set: RuleSet, path: string) => explain(set, { tool: 'read', arguments: { path } }).decision

/** Spellings of /etc/passwd, and whether the naive rule matches them. */
const spellings: readonly (readonly [path: string, noticed: boolean])[] = [
  ['/etc/passwd', true],
  ['/etc/./passwd', true],
  ['/etc/../etc/passwd', true],
  ['/etc//passwd', true],
  ['/etc/passwd.', true],
  ['/etc/passwd/', true],
  ['/etc/passwd\0', true],
  ['//etc/passwd', false],
  ['///etc/passwd', false],
  ['/./etc/passwd', false],
  ['/srv/../etc/passwd', false],
  ['/srv/a/../../etc/passwd', false],
  ['/srv/./../etc/passwd', false],
  ['\\etc\\passwd', false],
  ['/srv\\..\\etc\\passwd', false],
  ['C:\\etc\\passwd', false],
  ['file:///etc/passwd', false],
  ['FILE:/etc/passwd', false],
  ['/ETC/passwd', false],
  ['/etc./passwd', false],
  ['/%65tc/passwd', false],
  ['/srv/%2e%2e/etc/passwd', false],
  ['/srv/..%2fetc/passwd', false],
  ['/srv/%252e%252e/etc/passwd', false],
  ['/srv/..;/etc/passwd', false],
  ['/srv/\uff0e\uff0e/etc/passwd', false],
  ['/srv/..\uff0fetc/passwd', false],
  ['/\uff45tc/passwd', false],
  ['/srv/\u200b../etc/passwd', false],
  [' /etc/passwd', false],
  ['etc/passwd', false],
  ['../etc/passwd', false],
  ['~/../../etc/passwd', false],
  ['', false],
]

describe('spellings of a path', () => {
  it.each(spellings)('SECS-001 %j is refused by rules that name the allowed paths', (path) => {
    expect([decision(letters, path), decision(places, path)]).toEqual(['deny', 'deny'])
  })

  it.each(spellings)('%j is compared literally by a rule about letters: matched %j', (path, noticed) => {
    expect(decision(naive, path)).toBe(noticed ? 'deny' : 'allow')
  })

  it('do not affect plain paths', () => {
    for (const path of ['/srv/a', '/srv/a/b.txt', '/srv/a-b_c/d.e.f'])
      expect([path, decision(letters, path), decision(places, path), decision(naive, path)]).toEqual([
        path,
        'allow',
        'allow',
        'allow',
      ])
  })

  it('SECS-001 may not be a value that is not a string', () => {
    for (const set of [letters, places])
      for (const path of [['/srv/a', '/etc/passwd'], { path: '/srv/a' }, null, 0, true])
        expect(explain(set, { tool: 'read', arguments: { path } }).decision).toBe('deny')
  })
})

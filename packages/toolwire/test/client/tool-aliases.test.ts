import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aliasesFor, type QualifiedName } from '../../src/client/tool-aliases.js'
import { howMany } from '../soak.js'

const acceptable = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/
// Short names of few characters, so that similar pairs are frequent.
const tricky = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', '_', '__', '-', '.', '1'), maxLength: 6 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({ unit: fc.constantFrom('a', 'é', '_'), minLength: 50, maxLength: 140 }),
)
const tools = fc.array(fc.record({ server: tricky, name: tricky }), { maxLength: 30 })
const keyOf = ({ server, name }: QualifiedName) => JSON.stringify([server, name])

describe('aliases', () => {
  it('NAME-005 NAME-007 have at most 64 plain characters, and each leads back to one tool', () => {
    fc.assert(
      fc.property(tools, (entries) => {
        const aliases = aliasesFor(entries)
        const meant = new Map<string, string>()
        for (const [index, alias] of aliases.entries()) {
          expect(alias).toMatch(acceptable)
          const key = keyOf(entries[index]!)
          expect(meant.get(alias) ?? key).toBe(key)
          meant.set(alias, key)
        }
      }),
      { numRuns: howMany(160, 2_000) },
    )
  })

  it('do not depend on the order of the tools, nor on dissimilar tools', () => {
    fc.assert(
      fc.property(tools, (entries) => {
        const forwards = aliasesFor(entries)
        const backwards = aliasesFor(entries.toReversed()).toReversed()
        expect(backwards).toEqual(forwards)
      }),
      { numRuns: howMany(50, 500) },
    )
    expect(aliasesFor([{ server: 's', name: 'x y' }])).toEqual(
      aliasesFor([
        { server: 's', name: 'x y' },
        { server: 't', name: 'x y' },
      ]).slice(0, 1),
    )
  })

  it('keep both names if possible', () => {
    expect(
      aliasesFor([
        { server: 'shop', name: 'find-item' },
        { server: 'post', name: 'send__now' },
      ]),
    ).toEqual(['shop__find-item', 'post__send__now'])
  })

  it('NAME-005 distinguish a__b + c from a + b__c, and a_ + b from a + _b', () => {
    const entries = [
      { server: 'a__b', name: 'c' },
      { server: 'a', name: 'b__c' },
      { server: 'a_', name: 'b' },
      { server: 'a', name: '_b' },
    ]
    expect(new Set(aliasesFor(entries)).size).toBe(4)
  })

  it('NAME-006 are made from the local name of a server, so that two instances of one program differ', () => {
    const [work, home] = aliasesFor([
      { server: 'work', name: 'search' },
      { server: 'home', name: 'search' },
    ])
    expect([work, home]).toEqual(['work__search', 'home__search'])
  })

  it('NAME-004 NAME-007 shorten and escape names that no provider accepts', () => {
    const [spaced, long, emoji] = aliasesFor([
      { server: 's', name: 'my tool' },
      { server: 's', name: 'n'.repeat(120) },
      { server: 's', name: '🛠️' },
    ])
    expect(spaced).toMatch(/^s__my_tool_[0-9a-f]{12}$/)
    expect(long).toMatch(/^s__n+_[0-9a-f]{12}$/)
    expect(long).toHaveLength(64)
    expect(emoji).toMatch(acceptable)
  })

  it('cannot be hijacked by a tool that is named like the alias of another', () => {
    const victim = { server: 's', name: 'pay now' }
    const [alias = ''] = aliasesFor([victim])
    const thief = { server: 's', name: alias.slice('s__'.length) }
    expect(new Set(aliasesFor([victim, thief])).size).toBe(2)
    expect(aliasesFor([victim, thief])[0]).toBe(alias)
  })

  it('omit the prefix for a single server', () => {
    expect(
      aliasesFor([
        { server: '', name: 'search' },
        { server: '', name: 'get__all' },
      ]),
    ).toEqual(['search', 'get__all'])
  })
})

// Arguments truncated for lists and events.
import fc from 'fast-check'
import type { Json, JsonObject } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { truncateArguments } from '../../src/monitoring/calls/truncate-arguments.js'

const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 6 })) as fc.Arbitrary<JsonObject>

/** The number of readable characters. */
function lengthOf(value: Json | undefined): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + lengthOf(item), 0)
  return Object.entries(value).reduce((sum, [name, item]) => sum + name.length + lengthOf(item), 0)
}

const empty = Array.from({ length: 100_000 }, () => [])
const nested = (value: Json, depth: number): Json => Array.from({ length: depth }).reduce<Json>((inner) => [inner], value)

describe('truncated arguments', () => {
  it('are whole if they are short, and marked otherwise', () => {
    fc.assert(
      fc.property(json, (args) => {
        const shown = truncateArguments(args)
        if (!shown.cut) expect(shown.arguments).toEqual(args)
        else expect(lengthOf(args)).toBeGreaterThan(1_000)
      }),
    )
  })

  it.each([
    ['a long text', { text: 'x'.repeat(1_000_000) }],
    ['a long name', { ['x'.repeat(1_000_000)]: 1, short: 2 }],
    ['many members', Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`n${n}`, n]))],
    ['a long list', { list: Array.from({ length: 100_000 }, () => 'item') }],
    ['many empty lists', { list: empty }],
    ['many empty objects', { list: Array.from({ length: 100_000 }, () => ({})) }],
    ['many empty lists at the greatest depth shown', { deep: nested(empty, 14) }],
    ['a deep value', { deep: nested('x', 50) }],
  ])('are limited in size: %s', (_, args) => {
    const shown = truncateArguments(args as JsonObject)
    expect(shown.cut).toBe(true)
    expect(JSON.stringify(shown.arguments).length).toBeLessThan(10_000)
  })

  it('contain no values with the name of a secret, whether texts, numbers or objects', () => {
    const { arguments: shown } = truncateArguments({
      password: 123456,
      token: { of: ['abcdef', { pin: 987654 }] },
      count: 123456,
    })
    expect(shown).toMatchObject({ password: '[secret removed: named-secret]', count: 123456 })
    expect(JSON.stringify(shown.token)).not.toMatch(/abcdef|987654/)
  })

  it('end with a whole character', () => {
    const { arguments: shown } = truncateArguments({ text: `${'x'.repeat(4_085)}${'😀'.repeat(10)}` })
    expect(JSON.stringify(shown)).not.toContain('\\ud83d')
  })
})

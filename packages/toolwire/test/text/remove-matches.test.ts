import fc from 'fast-check'
import { expect, it } from 'vitest'
import { removeMatches } from '../../src/text/hidden/remove-matches.js'

it('matches are removed, and all other code units stay, halves of pairs and a byte order mark included', () => {
  const unit = fc.oneof(
    fc.constantFrom('x', '\ufeff', '\ud83d', '\ude00', '😀', '\ufffd', '\u0000'),
    fc.string({ unit: 'binary', maxLength: 3 }),
  )
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 30 }), fc.constantFrom(1, 10_000), (units, times) => {
      const text = units.join('').repeat(times === 1 ? 1 : Math.ceil(times / (units.length + 1)))
      const found = removeMatches(text, (whole, at) => (whole[at] === 'x' ? 1 : 0))
      expect(found === text.replaceAll('x', '')).toBe(true)
    }),
  )
})

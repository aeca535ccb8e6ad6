import fc from 'fast-check'
import { expect, it } from 'vitest'
import { finish } from '../../src/bounds/steps.js'
import { characterRules } from '../../src/text/hidden/character-rules.js'
import { removeCharacters, removeMatches } from '../../src/text/hidden/remove-matches.js'

it('matches are removed, and all other code units stay, including lone surrogates and a byte order mark', () => {
  const unit = fc.oneof(
    fc.constantFrom('x', '\ufeff', '\ud83d', '\ude00', '😀', '\ufffd', '\u0000'),
    fc.string({ unit: 'binary', maxLength: 3 }),
  )
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 30 }), fc.constantFrom(1, 10_000), (units, times) => {
      const text = units.join('').repeat(times === 1 ? 1 : Math.ceil(times / (units.length + 1)))
      const found = finish(removeMatches(text, (whole, at) => (whole[at] === 'x' ? 1 : 0)))
      expect(found === text.replaceAll('x', '')).toBe(true)
    }),
  )
})

const texts = fc
  .tuple(
    fc.array(fc.constantFrom('x', 'é', '\r', '\n', '\0', '\u202e', '\u200e', '\u0627', '\u{1d173}', '😀'), {
      minLength: 1,
      maxLength: 9,
    }),
    fc.integer({ min: 65_530, max: 65_545 }),
    fc.constantFrom('', 'a'),
  )
  .map(
    ([units, length, first]) =>
      first +
      units
        .join('')
        .repeat(length / units.join('').length + 1)
        .slice(0, length)
        .toWellFormed(),
  )

it('characters are removed from a long text as from a short one', () => {
  fc.assert(
    fc.property(texts, fc.constantFrom(/[x\r]/g, /[\u{1d173}]/gu), (text, pattern) => {
      expect(finish(removeCharacters(text, pattern)) === text.replace(pattern, '')).toBe(true)
    }),
    { examples: [[`a${'\u{1d173}'.repeat(33_000)}`, /[\u{1d173}]/gu]] },
  )
})

const [, [, controlSteps], , [, bidiSteps]] = characterRules

it('control characters, lone carriage returns and all byte order marks but the first are removed from a long text as by one pattern', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(finish(controlSteps(text)) === text.replace(/\r(?!\n)|\0/g, '')).toBe(true)
      const marks = text.includes('\u0627') ? /(?<=\u200e)\u200e/g : /\u200e/g
      expect(finish(bidiSteps(text)) === text.replaceAll('\u202e', '').replace(marks, '')).toBe(true)
    }),
  )
})

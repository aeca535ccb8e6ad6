import fc from 'fast-check'
import { expect, it } from 'vitest'
import { plainDescription } from '../../src/text/plain-description.js'

it.each([
  ['a <!-- hidden --> b', 'a  b'],
  ['a <!-<!-- x -->- hidden --> b', 'a  b'],
  ['a <!<!-<!-- x -->- y -->-- hidden --> b', 'a  b'],
  ['a <!-- never closed', 'a'],
  ['a <!--> b --> c', 'a  c'],
  ['a --> b <!- c', 'a --> b <!- c'],
  ['a <b>bold</b>', 'a ‹b›bold‹/b›'],
])('%j is shown as %j', (text, shown) => {
  expect(plainDescription(text)).toBe(shown)
})

it('a description has no comment, even if removed comments join to a new one', () => {
  const parts = fc.array(fc.constantFrom('<!--', '-->', '<!-', '<!', '-', '>', 'x'), { maxLength: 30 })
  fc.assert(
    fc.property(parts, (some) => {
      expect(plainDescription(some.join(''))).not.toContain('<!--')
    }),
  )
})

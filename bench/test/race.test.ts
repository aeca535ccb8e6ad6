import { expect, it } from 'vitest'
import { median, ratio } from '../src/race.js'

it('takes the middle of the rounds', () => {
  expect([median([9, 1, 5]), median([4, 1, 3, 2])]).toEqual([5, 2.5])
})

it('sets each round against the same round of the base', () => {
  expect(ratio([10, 20, 30], [20, 40, 60])).toBe(0.5)
})

it('sets who took part in the last rounds only against those rounds', () => {
  expect(ratio([1000, 20, 30], [40, 60])).toBe(0.5)
})

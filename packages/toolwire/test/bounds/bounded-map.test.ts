import { expect, it } from 'vitest'
import { BoundedMap } from '../../src/bounds/bounded-map.js'

it('keeps the latest entries', () => {
  const kept = new BoundedMap<string, number>(3)
  for (let n = 0; n < 100; n++) kept.set(`k${n}`, n)
  kept.set('k97', -97).set('new', 1)
  expect([...kept]).toEqual([
    ['k99', 99],
    ['k97', -97],
    ['new', 1],
  ])
})

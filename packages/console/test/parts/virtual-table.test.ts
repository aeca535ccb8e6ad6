import { describe, expect, it } from 'vitest'
import { rowAfter, visibleRows } from '../../src/parts/table/VirtualTable.js'

describe('the rendered rows of a long list', () => {
  it('are the visible ones, and a few around them', () => {
    expect(visibleRows(36_000, 360, { count: 1_000_000, height: 36 })).toEqual({ first: 992, last: 1_018 })
  })

  it('end with the list', () => {
    expect(visibleRows(0, 360, { count: 3, height: 36 })).toEqual({ first: 0, last: 3 })
    expect(visibleRows(36_000, 360, { count: 0, height: 36 })).toEqual({ first: 0, last: 0 })
  })

  it('are rows of the list even if it is now shorter than the scroll position', () => {
    const { first, last } = visibleRows(36_000, 360, { count: 5, height: 36 })
    expect(first).toBeLessThan(last)
  })
})

describe('keys', () => {
  const rows = { count: 100, page: 10 }
  it.each([
    ['ArrowDown', 4, 5],
    ['ArrowDown', -1, 0],
    ['ArrowDown', 99, 99],
    ['ArrowUp', 0, 0],
    ['PageDown', 95, 99],
    ['PageUp', 15, 5],
    ['Home', 50, 0],
    ['End', 50, 99],
    ['a', 50, undefined],
  ])('%s goes from row %i to %s', (key, from, to) => {
    expect(rowAfter(key, from, rows)).toBe(to)
  })
})

import { describe, expect, it } from 'vitest'
import { formatAgo, formatClock, formatDuration, formatFullTime, formatTime } from '../../src/parts/time/format-time.js'

const now = new Date(2026, 4, 12, 15, 30, 0).getTime()
const seconds = (count: number) => now - count * 1_000

describe('times', () => {
  it.each([
    [0, 'just now'],
    [4, 'just now'],
    [-4, 'just now'],
    [5, '5 seconds ago'],
    [59, '59 seconds ago'],
    [60, '1 minute ago'],
    [3_599, '59 minutes ago'],
    [7_200, '2 hours ago'],
    [86_400, '1 day ago'],
    [-90, 'in 1 minute'],
    [-172_800, 'in 2 days'],
  ])('%i seconds back are told as "%s"', (count, words) => {
    expect(formatAgo(seconds(count), now)).toBe(words)
  })

  it('of today have no date, and those of other days have one', () => {
    expect(formatTime(now, now)).toMatch(/30/)
    expect(formatTime(now, now)).not.toMatch(/2026/)
    expect(formatTime(seconds(86_400), now)).toMatch(/2026.*30/)
  })
})

describe('numbers that are not times', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, 1e20])('are shown as no time: %d', (at) => {
    expect([formatTime(at, now), formatFullTime(at)]).toEqual(['at no time', 'at no time'])
  })
})

describe('spans', () => {
  it.each([
    [-5, '0 ms'],
    [0.4, '0 ms'],
    [340, '340 ms'],
    [999, '999 ms'],
    [999.6, '1.0 s'],
    [1_000, '1.0 s'],
    [2_449, '2.4 s'],
    [9_999, '9.9 s'],
    [10_000, '10 s'],
    [59_999, '59 s'],
    [65_000, '1:05'],
    [7_800_000, '2:10:00'],
  ])('of %d ms are told as "%s"', (ms, words) => {
    expect(formatDuration(ms)).toBe(words)
  })

  it('on a clock have two digits, except for the first number', () => {
    expect([9_000, 60_000, 3_600_000, -1].map(formatClock)).toEqual(['0:09', '1:00', '1:00:00', '0:00'])
  })
})

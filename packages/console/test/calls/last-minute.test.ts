import { describe, expect, it } from 'vitest'
import { LastMinute } from '../../src/calls/last-minute.js'

const now = 1_000_000_000

describe('the last minute', () => {
  it('has a bar for each second, with successful calls apart from the others', () => {
    const minute = new LastMinute()
    minute.add(now - 59_000, 'ok')
    minute.add(now - 1_000, 'asked')
    minute.add(now, 'refused', 5)
    minute.add(now, 'ok', 2)
    const bars = minute.bars(now)
    expect(bars).toHaveLength(60)
    expect([bars[0], bars[58], bars[59]]).toEqual([
      { ok: 1, other: 0 },
      { ok: 1, other: 0 },
      { ok: 2, other: 5 },
    ])
  })

  it('drops older calls', () => {
    const minute = new LastMinute()
    minute.add(now - 60_000, 'ok')
    expect(minute.bars(now).some(({ ok }) => ok > 0)).toBe(false)
  })

  it('counts the events of a clock that is ahead as now', () => {
    const minute = new LastMinute()
    minute.add(now + 5_000, 'ok')
    expect(minute.bars(now).at(-1)).toEqual({ ok: 1, other: 0 })
  })
})

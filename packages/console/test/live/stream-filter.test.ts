import { describe, expect, it } from 'vitest'
import { passesStreamFilter } from '../../src/live/FinishedCalls.js'

const call = {
  key: 1,
  at: 5,
  tool: 'Add',
  server: 'sums',
  caller: 'local',
  outcome: 'refused',
  ms: 3,
  reason: 'forbidden',
} as const

describe('the stream of finished calls', () => {
  it.each(['add', 'SUM', 'local', ''])('is filtered by "%s" to calls with it in their tool, server or caller', (text) => {
    expect(passesStreamFilter({ text, outcome: 'all' }, call)).toBe(true)
  })

  it('is not filtered by other fields of a call', () => {
    expect(passesStreamFilter({ text: 'forbidden', outcome: 'all' }, call)).toBe(false)
  })

  it.each([
    ['refused', 'refused', true],
    ['refused', 'error', false],
    ['failed', 'error', true],
    ['cancelled', 'other', true],
    ['asked', 'other', true],
    ['ok', 'other', false],
  ] as const)('shows a call that is %s under %s: %s', (outcome, wanted, is) => {
    expect(passesStreamFilter({ text: '', outcome: wanted }, { ...call, outcome })).toBe(is)
  })
})
